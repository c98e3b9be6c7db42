package dev.longhaul.process.supervise;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.json.Secrets;
import java.util.List;

/** Masks secrets in a stream of bytes. Holds back bytes that may be the start of a secret until more bytes arrive. */
final class HidingStream {
    /**
     * The secrets, longest first. One character per byte (ISO 8859-1), so that bytes that are not text pass unchanged.
     */
    private final List<String> values;

    private final boolean[] begins = new boolean[256];
    private String kept = "";

    HidingStream(Secrets secrets) {
        this.values = (secrets.any() ? secrets.forms() : List.<String>of())
                .stream()
                        .map(value -> new String(value.getBytes(UTF_8), ISO_8859_1))
                        .toList();
        values.forEach(value -> begins[value.charAt(0)] = true);
    }

    byte[] next(byte[] bytes) {
        return values.isEmpty() ? bytes : hidden(kept + new String(bytes, ISO_8859_1), false);
    }

    /** Returns the bytes that are still held back at the end of the stream. */
    byte[] rest() {
        return hidden(kept, true);
    }

    /**
     * Masks secrets from left to right. Stops where more bytes could complete a longer secret, although a shorter one
     * already matches.
     */
    private byte[] hidden(String text, boolean complete) {
        var shown = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            int found = begins[text.charAt(at)] ? found(text, at, complete) : 0;
            if (found < 0) {
                break;
            }
            if (found == 0) {
                shown.append(text.charAt(at++));
            } else {
                shown.append(Secrets.HIDDEN);
                at += found;
            }
        }
        kept = text.substring(at);
        return shown.toString().getBytes(ISO_8859_1);
    }

    /** Returns the length of the secret at that position, 0 if there is none, -1 if more bytes are needed to decide. */
    private int found(String text, int at, boolean complete) {
        int left = text.length() - at;
        for (String value : values) {
            if (value.length() <= left) {
                if (text.startsWith(value, at)) {
                    return value.length();
                }
            } else if (!complete && text.regionMatches(at, value, 0, left)) {
                return -1;
            }
        }
        return 0;
    }
}
