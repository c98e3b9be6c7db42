package dev.longhaul.event;

import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Progress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The JSON payloads of the events that stores create. */
public final class Payload {
    private Payload() {}

    public static @Nullable String of(@Nullable Failure failure) {
        return failure == null
                ? null
                : "{\"error\":{\"code\":" + quoted(failure.code()) + ",\"message\":" + quoted(failure.message()) + "}}";
    }

    public static String of(Progress progress) {
        String message = progress.message();
        return "{\"percent\":" + progress.percent() + (message == null ? "" : ",\"message\":" + quoted(message)) + "}";
    }

    /** The payload of an event that a job's code emits, with its own JSON. */
    public static String custom(String name, String json) {
        return "{\"name\":" + quoted(name) + ",\"data\":" + json + "}";
    }

    /** A JSON object with one text member; null if its value is null. */
    public static @Nullable String of(String name, @Nullable String value) {
        return value == null ? null : "{" + quoted(name) + ":" + quoted(value) + "}";
    }

    /** A JSON object of text members. Null values are left out; null if all values are null. */
    public static @Nullable String of(String name, @Nullable String value, String name2, @Nullable String value2) {
        String first = value == null ? "" : quoted(name) + ":" + quoted(value);
        String second = value2 == null ? "" : quoted(name2) + ":" + quoted(value2);
        String comma = first.isEmpty() || second.isEmpty() ? "" : ",";
        return first.isEmpty() && second.isEmpty() ? null : "{" + first + comma + second + "}";
    }

    /** A JSON string. */
    public static String quoted(String value) {
        String text = Text.storableOf(value, Integer.MAX_VALUE);
        var json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < 0x20) {
                json.append("\\u").append(HexFormat.of().toHexDigits(c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
