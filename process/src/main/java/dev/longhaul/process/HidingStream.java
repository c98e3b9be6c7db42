package dev.longhaul.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.definition.Secrets;
import java.util.List;

/** Bytes without the secrets in them, also where one comes in pieces: what may be the beginning of one waits for the next bytes. */
final class HidingStream {
    /** Each byte as a character, so that what is no text stays as it is. */
    private final List<String> values;

    private String kept = "";

    HidingStream(Secrets secrets) {
        this.values = secrets.values().stream()
                .map(value -> new String(value.getBytes(UTF_8), ISO_8859_1))
                .toList();
    }

    byte[] next(byte[] bytes) {
        if (values.isEmpty()) {
            return bytes;
        }
        String text = hidden(kept + new String(bytes, ISO_8859_1));
        int beginning = beginning(text);
        kept = text.substring(text.length() - beginning);
        return text.substring(0, text.length() - beginning).getBytes(ISO_8859_1);
    }

    /** What has waited for bytes that never came. */
    byte[] rest() {
        String rest = kept;
        kept = "";
        return rest.getBytes(ISO_8859_1);
    }

    private String hidden(String text) {
        String hidden = text;
        for (String value : values) {
            hidden = hidden.replace(value, Secrets.HIDDEN);
        }
        return hidden;
    }

    /** How many characters at the end may be the beginning of a secret. */
    private int beginning(String text) {
        int longest = 0;
        for (String value : values) {
            for (int length = Math.min(value.length() - 1, text.length()); length > longest; length--) {
                if (text.regionMatches(text.length() - length, value, 0, length)) {
                    longest = length;
                }
            }
        }
        return longest;
    }
}
