package dev.longhaul.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.error.FieldError;
import dev.longhaul.internal.text.Text;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JSON Schema 2020-12, compiled once: validates JSON text and knows which of its places are secret
 * ({@code "writeOnly": true}). Never fetches anything. Thread-safe.
 */
public final class JsonSchema {
    /** The longest text of a schema, in UTF-8. */
    public static final int MOST_BYTES = 64 * 1024;

    /** Replaces a secret. */
    static final String HIDDEN = "***";

    private static final Set<String> SAYS_NOTHING = Set.of(
            "$schema",
            "$id",
            "$comment",
            "$anchor",
            "$defs",
            "title",
            "description",
            "default",
            "examples",
            "deprecated",
            "readOnly",
            "writeOnly");

    public static final JsonSchema ANYTHING = new JsonSchema(BooleanNode.TRUE);

    private final JsonNode root;
    private final String text;
    private final boolean acceptsAll;
    private final SecretPlaces secrets;
    private final @Nullable JsonNode secretShape;
    private final Validation validation;

    private JsonSchema(JsonNode root) {
        this.root = root;
        this.text = root.toString();
        this.acceptsAll = root.isBoolean()
                ? root.booleanValue()
                : root.properties().stream().allMatch(entry -> SAYS_NOTHING.contains(entry.getKey()));
        this.secrets = new SecretPlaces(root);
        this.secretShape = secrets.any() ? SecretShape.of(root) : null;
        this.validation = Validation.of(root, secrets);
    }

    /**
     * The schema of the text that {@link Json} writes for the type. Components are required unless they are {@code
     * Optional} or have an annotation named {@code Nullable}; components with {@link Secret} are secret.
     */
    public static JsonSchema of(Type type) {
        return new JsonSchema(TypeSchemas.of(type));
    }

    /**
     * A schema written by a person: at most 64 KiB and 32 levels, {@code $ref} only within the document, no regular
     * expressions. Throws INVALID_ARGUMENT with every violation.
     */
    public static JsonSchema parse(String text) {
        return new JsonSchema(SchemaRules.checked(text));
    }

    /** The schema as JSON without white space, its keywords in the order in which they were written. */
    public String text() {
        return text;
    }

    /** Whether any JSON fits, so that {@link #problems} need not be called. */
    public boolean acceptsAll() {
        return acceptsAll;
    }

    /**
     * All problems of the text, up to 50, each with its place below {@code field}; empty when it fits. Does not quote
     * the value of a secret, and never throws.
     */
    public List<FieldError> problems(String field, String json) {
        if (!Text.wholePairs(json)) {
            return List.of(new FieldError(field, "an escape of half a surrogate pair", "Unicode text"));
        }
        try {
            JsonNode value = Json.tree(json);
            return acceptsAll ? List.of() : validation.problems(field, value);
        } catch (JsonProcessingException e) {
            return List.of(JsonFailures.notJson(field, e));
        }
    }

    /**
     * As {@link #problems}, for text that another version of the code may have written: see
     * {@link SchemaProblems#misfits}.
     */
    List<FieldError> misfits(String field, String json, boolean strict) {
        try {
            JsonNode value = Json.tree(json);
            return acceptsAll ? List.of() : validation.misfits(field, value, strict);
        } catch (JsonProcessingException e) {
            return List.of(JsonFailures.notJson(field, e));
        }
    }

    /** The text with every secret shown as {@code "***"}; masked as a whole if it is not JSON. */
    public String redacted(String json) {
        if (!secrets.any()) {
            return json;
        }
        try {
            String shown = masked(Json.tree(json)).toString();
            return Text.storableOf(shown, shown.length());
        } catch (JsonProcessingException e) {
            return '"' + HIDDEN + '"';
        }
    }

    /** The values that are secret in this text, to be hidden wherever else they occur. */
    public Secrets secretsIn(String json) {
        if (!secrets.any()) {
            return Secrets.NONE;
        }
        try {
            return Secrets.of(secrets.values(Json.tree(json)));
        } catch (JsonProcessingException e) {
            return Secrets.NONE;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JsonSchema schema && schema.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    /** Whether any of its places is secret. */
    public boolean holdsSecrets() {
        return secrets.any();
    }

    /**
     * Whether this schema accepts every value although {@code other} does not, or leaves a place unmarked that is
     * secret in {@code other}.
     */
    public boolean weakerThan(JsonSchema other) {
        return (acceptsAll && !other.acceptsAll) || !other.secrets.within(secrets);
    }

    /** This schema with the secret places of {@code other} added; this one itself when it already marks them all. */
    public JsonSchema hidingAlso(JsonSchema other) {
        JsonNode more = other.secretShape;
        if (more == null || other.secrets.within(secrets)) {
            return this;
        }
        if (root instanceof BooleanNode) {
            return acceptsAll ? parse("{\"allOf\":[" + more + "]}") : this;
        }
        // The addition goes into this schema. A new root around it would break references inside the document.
        ObjectNode both = root.deepCopy();
        ArrayNode all = both.get("allOf") instanceof ArrayNode parts ? parts : both.putArray("allOf");
        all.add(more);
        return parse(both.toString());
    }

    /** A schema that contains only the places of the secrets; null when there are none. */
    @Nullable
    JsonNode secretShape() {
        return secretShape;
    }

    JsonNode masked(JsonNode value) {
        return secrets.any() ? secrets.masked(value, validation.fits(value)) : value;
    }

    /** The value at {@code path} in text that does not fit this schema, with its secrets masked. */
    String shown(String json, List<?> path) {
        try {
            JsonNode shown = secrets.shown(Json.tree(json), path);
            return shown == null ? "missing" : SchemaProblems.brief(shown);
        } catch (JsonProcessingException e) {
            return HIDDEN;
        }
    }
}
