package dev.longhaul.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.event.Payload;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The structured data of log lines: fields with JSON values, in the order in which they were added. */
public final class LogData {
    public static final LogData NONE = new LogData(Map.of(), 0);

    /** The longest JSON text of the data of one line. */
    public static final int MOST_CHARACTERS = 16_000;

    private static final int FRAME = 4;

    /** JSON texts by key; empty once their total is too long. */
    private final Map<String, String> fields;

    private final long characters;

    private LogData(Map<String, String> fields, long characters) {
        this.fields = fields;
        this.characters = characters;
    }

    /** This data with one more field; replaces a field with the same key. */
    public LogData with(String key, @Nullable Object value) {
        String json = json(value);
        long size = characters + key.length() + json.length() + FRAME;
        if (size > MOST_CHARACTERS) {
            return new LogData(Map.of(), size);
        }
        var more = new LinkedHashMap<>(fields);
        more.put(key, json);
        return new LogData(more, size);
    }

    private static String json(@Nullable Object value) {
        try {
            return Json.write(value);
        } catch (RuntimeException | StackOverflowError e) {
            return Payload.quoted("(not serialisable: "
                    + (value == null ? "null" : value.getClass().getName()) + ")");
        }
    }

    public boolean isEmpty() {
        return characters == 0;
    }

    /** The fields as a JSON object; a note if they are too long. */
    public String json() {
        if (characters > MOST_CHARACTERS) {
            return note("data left out: " + characters + " characters (at most " + MOST_CHARACTERS + ")");
        }
        var json = new StringBuilder("{");
        fields.forEach((key, value) -> json.append(json.length() == 1 ? "" : ",")
                .append(Payload.quoted(key))
                .append(':')
                .append(value));
        return json.append('}').toString();
    }

    /** A note in place of the data. */
    public static String note(String text) {
        return "{\"note\":" + Payload.quoted(text) + "}";
    }

    /** Reads the fields from the result of {@link #json()}: strings without quotes, all other values as JSON text. */
    public static Map<String, String> texts(String json) {
        var texts = new LinkedHashMap<String, String>();
        try {
            for (Map.Entry<String, JsonNode> field : Json.tree(json).properties()) {
                JsonNode value = field.getValue();
                texts.put(field.getKey(), value.isTextual() ? value.textValue() : value.toString());
            }
        } catch (JsonProcessingException e) {
            texts.put("note", "data left out: not JSON");
        }
        return texts;
    }
}
