package dev.longhaul.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the schemas that are nested in a JSON Schema 2020-12. All other keywords hold names and data. */
final class Subschemas {
    private static final Set<String> ONE = Set.of(
            "additionalProperties",
            "unevaluatedProperties",
            "propertyNames",
            "items",
            "contains",
            "unevaluatedItems",
            "contentSchema",
            "not",
            "if",
            "then",
            "else");
    private static final Set<String> LISTED = Set.of("allOf", "anyOf", "oneOf", "prefixItems");
    private static final Set<String> NAMED =
            Set.of("properties", "patternProperties", "$defs", "definitions", "dependentSchemas");
    private static final Set<String> FOR_THE_SAME_VALUE =
            Set.of("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas");

    private Subschemas() {}

    /**
     * A schema inside another.
     *
     * @param path the keyword, followed by the name or the index under it if it holds many
     * @param sameValue whether it applies to the same value as the outer schema, and not to a part of it
     */
    record Subschema(List<Object> path, JsonNode schema, boolean sameValue) {}

    static List<Subschema> of(JsonNode schema) {
        List<Subschema> found = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : schema.properties()) {
            String keyword = entry.getKey();
            JsonNode value = entry.getValue();
            boolean sameValue = FOR_THE_SAME_VALUE.contains(keyword);
            if (ONE.contains(keyword)) {
                found.add(new Subschema(List.of(keyword), value, sameValue));
            } else if (LISTED.contains(keyword)) {
                for (int i = 0; i < value.size(); i++) {
                    found.add(new Subschema(List.of(keyword, i), value.get(i), sameValue));
                }
            } else if (NAMED.contains(keyword)) {
                value.properties()
                        .forEach(named -> found.add(
                                new Subschema(List.of(keyword, named.getKey()), named.getValue(), sameValue)));
            }
        }
        return found;
    }

    /** The target of {@code ref} inside {@code root}; null when there is none. */
    static @Nullable JsonNode target(JsonNode root, String ref) {
        if (ref.equals("#")) {
            return root;
        }
        JsonNode target = root.at(ref.substring(1));
        return target.isMissingNode() ? null : target;
    }

    /** The schema that {@code schema} refers to; null when it has no reference. */
    static @Nullable JsonNode referred(JsonNode root, JsonNode schema) {
        JsonNode ref = schema.get("$ref");
        return ref == null ? null : target(root, ref.textValue());
    }
}
