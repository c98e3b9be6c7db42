package dev.longhaul.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.Payload;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Values that are shown as {@code ***} wherever they turn up, alone or within other text. Those shorter than {@value #SHORTEST}
 * characters are not looked for: they would be found in words that have nothing to do with them.
 */
public final class Secrets {
    public static final Secrets NONE = new Secrets(List.of());
    public static final int SHORTEST = 6;
    public static final String HIDDEN = "***";

    /** Longest first, so that none is missed that holds another. */
    private final List<String> values;

    private Secrets(List<String> values) {
        this.values = values;
    }

    /** These values; of one with several lines, each line too, because that is how it is printed. */
    public static Secrets of(Collection<String> values) {
        var all = new TreeSet<>(
                Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
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
            String quoted = Payload.quoted(trimmed);
            String escaped = quoted.substring(1, quoted.length() - 1);
            String shorter =
                    escaped.replace("\\u0009", "\\t").replace("\\u000a", "\\n").replace("\\u000d", "\\r");
            // As JSON is written by us, by Jackson, and by Logback.
            all.addAll(List.of(escaped, shorter, shorter.replace("/", "\\/")));
        }
    }

    public boolean any() {
        return !values.isEmpty();
    }

    public List<String> values() {
        return values;
    }

    /** The text without them. */
    public String hide(String text) {
        String hidden = text;
        for (String value : values) {
            hidden = hidden.replace(value, HIDDEN);
        }
        return hidden;
    }

    /** JSON text without them, and still JSON: a number that holds one becomes text. */
    public String hideJson(String json) {
        if (values.stream().noneMatch(json::contains)) {
            return json;
        }
        try {
            return Json.write(hidden(Json.tree(json)));
        } catch (JsonProcessingException | LonghaulException e) {
            return Payload.quoted(HIDDEN);
        }
    }

    private JsonNode hidden(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode shown = JsonNodeFactory.instance.objectNode();
            object.properties().forEach(entry -> shown.set(hide(entry.getKey()), hidden(entry.getValue())));
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

    /** How many. */
    @Override
    public String toString() {
        return "Secrets[" + values.size() + "]";
    }
}
