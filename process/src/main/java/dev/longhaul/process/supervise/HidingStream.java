package dev.longhaul.process.supervise;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.json.Secrets;
import java.util.List;

/** Bytes without the secrets in them, also where one comes in pieces: what may be the beginning of one waits for the next bytes. */
final class HidingStream {
    /** Each byte as a character, so that what is no text stays as it is. Longest first. */
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

    /** What has waited for bytes that never came. */
    byte[] rest() {
        return hidden(kept, true);
    }

    /** Goes from left to right, and stops where the text may go on as a secret: a shorter one there may be the beginning of a longer. */
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

    /** The length of the secret that begins there, 0 when none does, -1 when one may that has not come to its end. */
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
