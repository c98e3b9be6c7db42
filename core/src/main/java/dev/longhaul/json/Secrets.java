package dev.longhaul.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Failure;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values that are shown as {@code ***} wherever they occur, alone or within other text, plain or encoded
 * ({@link SecretForms}). Values shorter than {@value #SHORTEST} characters are not hidden: they would match unrelated
 * words.
 */
public final class Secrets {
    public static final Secrets NONE = new Secrets(List.of());
    public static final int SHORTEST = 6;
    public static final String HIDDEN = "***";
    private static final String BYTES = "base64";

    private final List<String> values;
    /** Created when the first text is searched: most runs print nothing. */
    private volatile @Nullable List<String> forms;

    private Secrets(List<String> values) {
        this.values = values;
    }

    /** Hides these values, and also each line of a value with several lines, because it may be printed line by line. */
    public static Secrets of(Collection<String> values) {
        var all = new LinkedHashSet<String>();
        for (String value : values) {
            add(all, value);
            value.lines().forEach(line -> add(all, line));
        }
        return all.isEmpty() ? NONE : new Secrets(List.copyOf(all));
    }

    private static void add(Collection<String> all, String value) {
        String trimmed = value.strip();
        if (trimmed.length() >= SHORTEST) {
            all.add(trimmed);
        }
    }

    public boolean any() {
        return !values.isEmpty();
    }

    /** The values as they were given. */
    public List<String> values() {
        return values;
    }

    /** All searched texts: the values in every supported encoding, longest first. */
    public List<String> forms() {
        List<String> known = forms;
        if (known == null) {
            known = SecretForms.of(values);
            forms = known;
        }
        return known;
    }

    /** The text with these values hidden. */
    public String hide(String text) {
        String hidden = text;
        if (any()) {
            for (String form : forms()) {
                hidden = hidden.replace(form, HIDDEN);
            }
        }
        return hidden;
    }

    /**
     * JSON text with these values hidden, still valid JSON: a number that contains one becomes text. Finds values
     * however they are escaped, and in the bytes of {@code base64} fields, as binary output has. Text without these
     * values stays unchanged.
     */
    public String hideJson(String json) {
        boolean mayHoldSome = any()
                && (json.indexOf('\\') >= 0
                        || json.contains(BYTES)
                        || forms().stream().anyMatch(json::contains));
        if (!mayHoldSome) {
            return json;
        }
        try {
            JsonNode tree = Json.tree(json);
            JsonNode hidden = hidden(tree);
            return hidden.equals(tree) ? json : Json.write(hidden);
        } catch (JsonProcessingException | LonghaulException e) {
            return Payload.quoted(HIDDEN);
        }
    }

    private JsonNode hidden(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode shown = JsonNodeFactory.instance.objectNode();
            object.properties()
                    .forEach(entry -> shown.set(
                            hide(entry.getKey()),
                            entry.getKey().equals(BYTES) && entry.getValue().isTextual()
                                    ? hiddenBytes(entry.getValue())
                                    : hidden(entry.getValue())));
            return shown;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode shown = JsonNodeFactory.instance.arrayNode();
            array.forEach(element -> shown.add(hidden(element)));
            return shown;
        }
        String text = node.asText();
        String hidden = hide(text);
        return hidden.equals(text) ? node : TextNode.valueOf(hidden);
    }

    private JsonNode hiddenBytes(JsonNode base64) {
        // One character per byte, so that binary data survives.
        String bytes;
        try {
            bytes = new String(Base64.getDecoder().decode(base64.textValue()), ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return hidden(base64);
        }
        String hidden = bytes;
        for (String form : forms()) {
            hidden = hidden.replace(new String(form.getBytes(UTF_8), ISO_8859_1), HIDDEN);
        }
        return hidden.equals(bytes)
                ? hidden(base64)
                : TextNode.valueOf(Base64.getEncoder().encodeToString(hidden.getBytes(ISO_8859_1)));
    }

    /** The failure with these values hidden. */
    public Failure hide(Failure failure) {
        String type = failure.type();
        String stack = failure.stack();
        return any()
                ? new Failure(
                        hide(failure.code()).equals(failure.code()) ? failure.code() : Failure.EXCEPTION,
                        hide(failure.message()),
                        type == null ? null : hide(type),
                        stack == null ? null : hide(stack))
                : failure;
    }

    /** Shows only the number of values, so that they are not logged. */
    @Override
    public String toString() {
        return "Secrets[" + values.size() + "]";
    }
}
