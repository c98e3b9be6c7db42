package dev.longhaul.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Text;
import dev.longhaul.json.Subschemas.Subschema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The rules for schemas written by people. A schema validates untrusted input, so it must not fetch anything, run
 * regular expressions, or recurse without end.
 */
final class SchemaRules {
    private static final String FIELD = "schema";
    private static final int DEEPEST = 32;
    private static final Set<String> DIALECTS =
            Set.of("https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#");
    private static final Map<String, String> REFUSED = Map.of(
            "pattern", "no regular expressions",
            "patternProperties", "no regular expressions",
            "$dynamicRef", "$ref of the form #/…",
            "$recursiveRef", "$ref of the form #/…",
            "$vocabulary", "the vocabulary of JSON Schema 2020-12");

    private final JsonNode root;
    private final List<FieldError> problems = new ArrayList<>();
    private final Set<JsonNode> schemas = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<JsonNode> circling = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<JsonNode> straight = Collections.newSetFromMap(new IdentityHashMap<>());

    private SchemaRules(JsonNode root) {
        this.root = root;
    }

    /** The schema as a tree; fails unless it follows every rule. */
    static JsonNode checked(String text) {
        int bytes = Text.utf8Length(text);
        if (bytes > JsonSchema.MOST_BYTES) {
            throw refused(List.of(new FieldError(FIELD, bytes + " bytes", "<= " + JsonSchema.MOST_BYTES + " bytes")));
        }
        JsonNode root;
        try {
            root = Json.tree(text);
        } catch (JsonProcessingException e) {
            throw refused(List.of(JsonFailures.notJson(FIELD, e)));
        }
        int depth = depth(root);
        if (depth > DEEPEST) {
            throw refused(List.of(new FieldError(FIELD, depth + " levels", "<= " + DEEPEST + " levels")));
        }
        var rules = new SchemaRules(root);
        rules.problems.addAll(Validation.ofSchemas().problems(FIELD, root));
        if (rules.problems.isEmpty()) {
            walk(root, List.of(), (schema, path) -> rules.schemas.add(schema));
            walk(root, List.of(), rules::check);
            walk(root, List.of(), rules::follow);
        }
        if (!rules.problems.isEmpty()) {
            throw refused(rules.problems);
        }
        return root;
    }

    private static void walk(JsonNode schema, List<Object> path, BiConsumer<JsonNode, List<Object>> visitor) {
        visitor.accept(schema, path);
        Subschemas.of(schema).forEach(inner -> walk(inner.schema(), joined(path, inner.path()), visitor));
    }

    private void check(JsonNode schema, List<Object> path) {
        for (Map.Entry<String, JsonNode> entry : schema.properties()) {
            String keyword = entry.getKey();
            JsonNode value = entry.getValue();
            String refusal = REFUSED.get(keyword);
            if (refusal != null) {
                note(path, keyword, value, refusal);
            } else if (keyword.equals("$id") && !path.isEmpty()) {
                note(path, keyword, value, "$id only at the top");
            } else if (keyword.equals("$schema") && !DIALECTS.contains(value.textValue())) {
                note(path, keyword, value, "https://json-schema.org/draft/2020-12/schema");
            } else if (keyword.equals("$ref")) {
                checkReference(path, value);
            }
        }
    }

    private void checkReference(List<Object> path, JsonNode value) {
        String ref = value.textValue();
        if (!(ref.equals("#") || ref.startsWith("#/")) || ref.contains("%")) {
            note(path, "$ref", value, "# or #/… without % escapes");
            return;
        }
        JsonNode target = Subschemas.target(root, ref);
        if (target == null || !schemas.contains(target)) {
            note(path, "$ref", value, "a schema inside this document");
        }
    }

    /** Finds references that lead back to themselves without descending into the value: validation would never end. */
    private void follow(JsonNode schema, List<Object> path) {
        if (!problems.isEmpty() || straight.contains(schema)) {
            return;
        }
        if (!circling.add(schema)) {
            problems.add(new FieldError(JsonPath.of(FIELD, path), "a circular reference", "references that end"));
            return;
        }
        JsonNode referred = Subschemas.referred(root, schema);
        if (referred != null) {
            follow(referred, joined(path, List.of("$ref")));
        }
        Subschemas.of(schema).stream()
                .filter(Subschema::sameValue)
                .forEach(same -> follow(same.schema(), joined(path, same.path())));
        circling.remove(schema);
        straight.add(schema);
    }

    private void note(List<Object> path, String keyword, JsonNode value, String expected) {
        problems.add(new FieldError(
                JsonPath.of(FIELD, joined(path, List.of(keyword))), SchemaProblems.brief(value), expected));
    }

    private static LonghaulException refused(List<FieldError> problems) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, problems);
    }

    private static List<Object> joined(List<Object> path, List<Object> more) {
        List<Object> joined = new ArrayList<>(path);
        joined.addAll(more);
        return joined;
    }

    private static int depth(JsonNode node) {
        int deepest = 0;
        for (JsonNode inner : node) {
            deepest = Math.max(deepest, depth(inner));
        }
        return node.isContainerNode() ? deepest + 1 : deepest;
    }
}
