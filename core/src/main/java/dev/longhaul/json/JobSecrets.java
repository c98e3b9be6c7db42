package dev.longhaul.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.internal.text.Text;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The secret places of a job's params and result. They are stored with the job when it is created, so that masking
 * does not depend on later changes of its definition. Places that the current schema marks are masked in addition.
 */
public final class JobSecrets {
    public static final JobSecrets NONE = new JobSecrets(null, null);

    /** Marks the whole params and the whole result as secret. */
    public static final JobSecrets EVERYTHING = everything();

    /**
     * The places that are secret regardless of the schema, by definition key: environment variables of commands,
     * headers of HTTP requests.
     */
    private static final Map<String, JobSecrets> ALWAYS =
            Map.of("command", valuesOf("env"), "http", valuesOf("headers"));

    private static final String PARAMS = "params";
    private static final String RESULT = "result";

    private final @Nullable JsonNode params;
    private final @Nullable JsonNode result;

    private JobSecrets(@Nullable JsonNode params, @Nullable JsonNode result) {
        this.params = params;
        this.result = result;
    }

    private static JobSecrets valuesOf(String param) {
        return parse(
                "{\"params\":{\"properties\":{\"" + param + "\":{\"additionalProperties\":{\"writeOnly\":true}}}}}");
    }

    /** The places that a definition's schemas mark as secret, and the places that are always secret for its key. */
    public static JobSecrets of(String definitionKey, JsonSchema params, JsonSchema result) {
        JobSecrets marked = params.holdsSecrets() || result.holdsSecrets()
                ? new JobSecrets(params.secretShape(), result.secretShape())
                : NONE;
        return always(definitionKey).and(marked);
    }

    /** The places that are always secret for this definition key, even if no definition has this key. */
    public static JobSecrets always(String definitionKey) {
        return ALWAYS.getOrDefault(definitionKey, NONE);
    }

    /** Reads the result of {@link #text}. If it is damaged, the job's params and result are secret as a whole. */
    public static JobSecrets parse(@Nullable String text) {
        if (text == null) {
            return NONE;
        }
        try {
            JsonNode stored = Json.tree(text);
            if (stored.isObject()) {
                return new JobSecrets(stored.get(PARAMS), stored.get(RESULT));
            }
        } catch (JsonProcessingException e) {
            // Falls through: unreadable text hides everything.
        }
        return EVERYTHING;
    }

    private static JobSecrets everything() {
        JsonNode secret = JsonNodeFactory.instance.objectNode().put("writeOnly", true);
        return new JobSecrets(secret, secret);
    }

    /** The text that a store keeps with the job; null when it has no secrets. */
    public @Nullable String text() {
        if (!any()) {
            return null;
        }
        ObjectNode stored = JsonNodeFactory.instance.objectNode();
        if (params != null) {
            stored.set(PARAMS, params);
        }
        if (result != null) {
            stored.set(RESULT, result);
        }
        return stored.toString();
    }

    public boolean any() {
        return params != null || result != null;
    }

    /** The secret places of this and {@code other}. */
    public JobSecrets and(JobSecrets other) {
        if (!any() || equals(other)) {
            return other;
        }
        return !other.any() ? this : new JobSecrets(both(params, other.params), both(result, other.result));
    }

    private static @Nullable JsonNode both(@Nullable JsonNode one, @Nullable JsonNode other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        // One flat list without duplicates; otherwise each edit of a job would make its list longer.
        Set<JsonNode> all = new LinkedHashSet<>(parts(one));
        all.addAll(parts(other));
        if (all.size() == 1) {
            return one;
        }
        ObjectNode both = JsonNodeFactory.instance.objectNode();
        both.putArray("allOf").addAll(all);
        return both;
    }

    private static List<JsonNode> parts(JsonNode shape) {
        List<JsonNode> parts = new ArrayList<>();
        if (shape.size() == 1 && shape.get("allOf") instanceof ArrayNode inner) {
            inner.forEach(parts::add);
        } else {
            parts.add(shape);
        }
        return parts;
    }

    /**
     * Returns params with every secret shown as {@code "***"}: the places stored with the job, and the places that the
     * current schema marks.
     */
    public String maskedParams(String json, JsonSchema current) {
        return masked(json, params, current);
    }

    /** A result with every secret shown as {@code "***"}. */
    public String maskedResult(String json, JsonSchema current) {
        return masked(json, result, current);
    }

    private static String masked(String json, @Nullable JsonNode shape, JsonSchema current) {
        if (shape == null) {
            return current.redacted(json);
        }
        try {
            JsonNode value = current.masked(Json.tree(json));
            String shown = new SecretPlaces(shape).masked(value, true).toString();
            return Text.storableOf(shown, shown.length());
        } catch (JsonProcessingException e) {
            return '"' + JsonSchema.HIDDEN + '"';
        }
    }

    /** The secret values of these params, to be hidden wherever else they occur. */
    public Secrets secretsIn(String json, JsonSchema current) {
        if (params == null) {
            return current.secretsIn(json);
        }
        List<String> values = new ArrayList<>(current.secretsIn(json).values());
        try {
            values.addAll(new SecretPlaces(params).values(Json.tree(json)));
        } catch (JsonProcessingException e) {
            return Secrets.NONE;
        }
        return Secrets.of(values);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JobSecrets secrets
                && Objects.equals(secrets.params, params)
                && Objects.equals(secrets.result, result);
    }

    @Override
    public int hashCode() {
        return Objects.hash(params, result);
    }

    @Override
    public String toString() {
        return String.valueOf(text());
    }
}
