package dev.longhaul.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reduces a schema to the places of its secrets: a schema that {@link SecretPlaces} reads in the same way and that is
 * small enough to be stored with every job. References are replaced by their targets. A recursive schema stays
 * unchanged.
 */
final class SecretShape {
    private static final int MOST_STEPS = 10_000;
    private static final int MOST_CHARACTERS = 8192;
    private static final ObjectNode SECRET =
            JsonNodeFactory.instance.objectNode().put("writeOnly", true);

    private final JsonNode root;
    private final Set<JsonNode> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private int steps;

    private SecretShape(JsonNode root) {
        this.root = root;
    }

    /** The shape of a schema; null when no place of it is secret. */
    static @Nullable JsonNode of(JsonNode root) {
        try {
            JsonNode shape = new SecretShape(root).shape(root);
            return shape == null || shape.toString().length() <= MOST_CHARACTERS ? shape : root;
        } catch (TooComplex e) {
            return root;
        }
    }

    private @Nullable JsonNode shape(@Nullable JsonNode schema) {
        if (schema == null || !schema.isObject()) {
            return null;
        }
        if (schema.path("writeOnly").asBoolean()) {
            return SECRET;
        }
        if (++steps > MOST_STEPS || !open.add(schema)) {
            throw new TooComplex();
        }
        ObjectNode kept = JsonNodeFactory.instance.objectNode();
        properties(schema, kept);
        items(schema, kept);
        for (String keyword : List.of("contains", "unevaluatedItems", "unevaluatedProperties")) {
            set(kept, keyword, shape(schema.get(keyword)));
        }
        List<JsonNode> same = sameValue(schema);
        open.remove(schema);
        if (kept.isEmpty() && same.size() == 1) {
            return same.get(0);
        }
        if (!same.isEmpty()) {
            kept.putArray("allOf").addAll(same);
        }
        return kept.isEmpty() ? null : kept;
    }

    private List<JsonNode> sameValue(JsonNode schema) {
        List<JsonNode> same = new ArrayList<>();
        add(same, shape(Subschemas.referred(root, schema)));
        for (Subschemas.Subschema inner : Subschemas.of(schema)) {
            if (inner.sameValue()) {
                add(same, shape(inner.schema()));
            }
        }
        return same;
    }

    /** Keeps named properties without secrets only where unnamed properties have secrets. */
    private void properties(JsonNode schema, ObjectNode kept) {
        JsonNode others = shape(schema.get("additionalProperties"));
        ObjectNode named = JsonNodeFactory.instance.objectNode();
        schema.path("properties").properties().forEach(entry -> {
            JsonNode shape = shape(entry.getValue());
            if (shape != null || others != null) {
                named.set(entry.getKey(), shape == null ? BooleanNode.TRUE : shape);
            }
        });
        set(kept, "properties", named.isEmpty() ? null : named);
        set(kept, "additionalProperties", others);
    }

    private void items(JsonNode schema, ObjectNode kept) {
        JsonNode others = shape(schema.get("items"));
        ArrayNode first = JsonNodeFactory.instance.arrayNode();
        boolean any = others != null;
        for (JsonNode one : schema.path("prefixItems")) {
            JsonNode shape = shape(one);
            any |= shape != null;
            first.add(shape == null ? BooleanNode.TRUE : shape);
        }
        set(kept, "prefixItems", any && !first.isEmpty() ? first : null);
        set(kept, "items", others);
    }

    private static void add(List<JsonNode> shapes, @Nullable JsonNode shape) {
        if (shape != null && !shapes.contains(shape)) {
            shapes.add(shape);
        }
    }

    private static void set(ObjectNode kept, String keyword, @Nullable JsonNode shape) {
        if (shape != null) {
            kept.set(keyword, shape);
        }
    }

    private static final class TooComplex extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooComplex() {
            super("too complex", null, false, false);
        }
    }
}
