package dev.longhaul.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The places of a value that its schema marks {@code writeOnly}, in any branch of the schema. A value that does not fit
 * its schema may hold secrets elsewhere, under a misspelt name for example; places of such a value that the schema does
 * not describe are masked, too.
 */
final class SecretPlaces {
    static final SecretPlaces NONE = new SecretPlaces(BooleanNode.TRUE);
    private static final TextNode MASK = TextNode.valueOf(JsonSchema.HIDDEN);
    private static final List<String> STRUCTURE =
            List.of("properties", "additionalProperties", "items", "prefixItems", "contains");

    private static final int MOST_STEPS = 10_000;

    private final JsonNode root;
    private final boolean any;

    SecretPlaces(JsonNode root) {
        this.root = root;
        this.any = holdsSecret(root);
    }

    boolean any() {
        return any;
    }

    /**
     * The value at {@code path} in a value that does not fit its schema, with its secrets masked; null when the path
     * does not exist.
     */
    @Nullable
    JsonNode shown(JsonNode value, List<?> path) {
        JsonNode at = value;
        List<JsonNode> schemas = inForce(List.of(root));
        for (Object step : path) {
            if (any && (schemas.isEmpty() || secret(schemas))) {
                return MASK;
            }
            schemas = any ? below(schemas, step) : schemas;
            at = step instanceof Integer index ? at.get(index) : at.get(step.toString());
            if (at == null) {
                return null;
            }
        }
        return any ? masked(at, schemas, false) : at;
    }

    /** The value with its secrets masked. */
    JsonNode masked(JsonNode value, boolean fits) {
        return any ? masked(value, inForce(List.of(root)), fits) : value;
    }

    private JsonNode masked(JsonNode value, List<JsonNode> schemas, boolean fits) {
        if (secret(schemas) || (!fits && schemas.isEmpty())) {
            return MASK;
        }
        if (value instanceof ObjectNode object) {
            ObjectNode shown = JsonNodeFactory.instance.objectNode();
            object.properties()
                    .forEach(entry ->
                            shown.set(entry.getKey(), masked(entry.getValue(), below(schemas, entry.getKey()), fits)));
            return shown;
        }
        if (value instanceof ArrayNode array) {
            ArrayNode shown = JsonNodeFactory.instance.arrayNode();
            for (int i = 0; i < array.size(); i++) {
                shown.add(masked(array.get(i), below(schemas, i), fits));
            }
            return shown;
        }
        boolean misplaced =
                !fits && schemas.stream().anyMatch(schema -> STRUCTURE.stream().anyMatch(schema::has));
        return misplaced ? MASK : value;
    }

    /** Returns the values at the secret places. */
    List<String> values(JsonNode value) {
        List<String> found = new ArrayList<>();
        collect(value, inForce(List.of(root)), false, found);
        return found;
    }

    private void collect(JsonNode value, List<JsonNode> schemas, boolean within, List<String> found) {
        boolean hidden = within || secret(schemas);
        if (value.isObject()) {
            value.properties()
                    .forEach(entry -> collect(entry.getValue(), below(schemas, entry.getKey()), hidden, found));
        } else if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                collect(value.get(i), below(schemas, i), hidden, found);
            }
        } else if (hidden && !value.isNull()) {
            found.add(value.asText());
        }
    }

    /**
     * Whether all places that are secret here are secret in {@code other}, too; false when checking takes too many
     * steps.
     */
    boolean within(SecretPlaces other) {
        return !any
                || root.equals(other.root)
                || within(inForce(List.of(root)), other, other.inForce(List.of(other.root)), new int[1]);
    }

    private boolean within(List<JsonNode> mine, SecretPlaces other, List<JsonNode> others, int[] steps) {
        if (mine.isEmpty() || secret(others)) {
            return true;
        }
        if (secret(mine) || ++steps[0] > MOST_STEPS) {
            return false;
        }
        for (Object step : steps(mine, others)) {
            if (!within(below(mine, step), other, other.below(others, step), steps)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the steps (names and indexes) that the schemas mention, and one step that represents all others. */
    private static Set<Object> steps(List<JsonNode> some, List<JsonNode> more) {
        Set<Object> steps = new LinkedHashSet<>(List.of("\0", 0));
        Stream.concat(some.stream(), more.stream()).forEach(schema -> {
            schema.path("properties").fieldNames().forEachRemaining(steps::add);
            for (int i = 1; i <= schema.path("prefixItems").size(); i++) {
                steps.add(i);
            }
        });
        return steps;
    }

    private static boolean secret(List<JsonNode> schemas) {
        return schemas.stream().anyMatch(schema -> schema.path("writeOnly").asBoolean());
    }

    /** The schemas that apply to the part of a value at {@code step}. */
    private List<JsonNode> below(List<JsonNode> schemas, Object step) {
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode schema : schemas) {
            if (step instanceof Integer index) {
                JsonNode prefix = schema.path("prefixItems").get(index);
                add(found, prefix == null ? schema.get("items") : prefix);
                add(found, schema.get("contains"));
                add(found, schema.get("unevaluatedItems"));
            } else {
                JsonNode named = schema.path("properties").get(step.toString());
                add(found, named == null ? schema.get("additionalProperties") : named);
                add(found, schema.get("unevaluatedProperties"));
            }
        }
        return inForce(found);
    }

    private static void add(List<JsonNode> found, @Nullable JsonNode schema) {
        if (schema != null && !schema.equals(BooleanNode.FALSE)) {
            found.add(schema);
        }
    }

    /** The schemas and all schemas that they apply to the same value. */
    private List<JsonNode> inForce(List<JsonNode> schemas) {
        List<JsonNode> all = new ArrayList<>();
        Set<JsonNode> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        schemas.forEach(schema -> expand(schema, seen, all));
        return all;
    }

    private void expand(JsonNode schema, Set<JsonNode> seen, List<JsonNode> all) {
        if (!seen.add(schema)) {
            return;
        }
        all.add(schema);
        JsonNode referred = Subschemas.referred(root, schema);
        if (referred != null) {
            expand(referred, seen, all);
        }
        for (Subschemas.Subschema inner : Subschemas.of(schema)) {
            if (inner.sameValue()) {
                expand(inner.schema(), seen, all);
            }
        }
    }

    private static boolean holdsSecret(JsonNode schema) {
        return schema.path("writeOnly").asBoolean()
                || Subschemas.of(schema).stream().anyMatch(inner -> holdsSecret(inner.schema()));
    }
}
