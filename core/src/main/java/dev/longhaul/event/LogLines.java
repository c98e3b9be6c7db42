package dev.longhaul.event;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Assembles lines from log and output events. Output arrives in pieces that may begin and end anywhere in a line. */
public final class LogLines {
    private final Consumer<Line> sink;
    /** Unfinished lines by stream. */
    private final Map<String, Line> begun = new LinkedHashMap<>();

    public LogLines(Consumer<Line> sink) {
        this.sink = sink;
    }

    /** A line, and the time of its end. */
    public record Line(String at, String text) {}

    /**
     * Adds an event of type log or output.
     *
     * @param at the time of the event, as displayed
     */
    public void add(EventType type, int run, String at, Map<?, ?> payload) {
        if (type != EventType.OUTPUT) {
            sink.accept(new Line(at, logged(payload)));
        } else if (payload.get("outputs") instanceof List<?> pieces) {
            for (Object piece : pieces) {
                if (piece instanceof Map<?, ?> one) {
                    output(run + " " + one.get("stream"), at, text(one));
                }
            }
        } else {
            output(run + " " + payload.get("stream"), at, text(payload));
        }
    }

    /** Emits the unfinished lines. */
    public void end() {
        begun.values().forEach(sink);
        begun.clear();
    }

    private static String logged(Map<?, ?> fields) {
        Object level = fields.get("level");
        Object message = fields.get("message");
        String prefix =
                level == null || level.equals("info") ? "" : level.toString().toUpperCase(Locale.ROOT) + " ";
        String data = fields.get("data") instanceof Map<?, ?> more ? fields(more) : "";
        return prefix + (message == null ? fields : message + data);
    }

    /** Fields of a line as {@code key=value}, each after a space. Texts with spaces, quotes or line ends are quoted. */
    public static String fields(Map<?, ?> fields) {
        var text = new StringBuilder();
        fields.forEach((key, value) -> text.append(' ')
                .append(word(String.valueOf(key)))
                .append('=')
                .append(value instanceof String plain ? word(plain) : json(value)));
        return text.toString();
    }

    private static String word(String text) {
        boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '=');
        return plain ? text : Payload.quoted(text);
    }

    private static String json(@Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            return object.entrySet().stream()
                    .map(field -> Payload.quoted(String.valueOf(field.getKey())) + ":" + json(field.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> array) {
            return array.stream().map(LogLines::json).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String text ? Payload.quoted(text) : String.valueOf(value);
    }

    /** Bytes that are not text are shown with replacement characters. */
    private static String text(Map<?, ?> fields) {
        Object text = fields.get("text");
        Object base64 = fields.get("base64");
        if (base64 != null) {
            try {
                return new String(Base64.getDecoder().decode(base64.toString()), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                // Not Base64: show the text as it is, because reporters can send any payload.
                return base64.toString();
            }
        }
        return text == null ? "" : text.toString();
    }

    private void output(String stream, String at, String text) {
        Line open = begun.remove(stream);
        String all = open == null ? text : open.text + text;
        int start = 0;
        for (int end = all.indexOf('\n'); end >= 0; end = all.indexOf('\n', start)) {
            sink.accept(new Line(at, all.substring(start, end)));
            start = end + 1;
        }
        if (start < all.length()) {
            begun.put(stream, new Line(at, all.substring(start)));
        }
    }
}
