package dev.longhaul.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.event.Payload;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * The forms in which code may print a secret value: as it is, in upper and lower case, escaped in JSON, URL-encoded,
 * in hex, and in Base64. Base64 of a text that contains the value depends on the value's offset: there are three
 * forms, without the characters at both ends that neighbouring bytes share.
 */
final class SecretForms {
    /** The shortest form searched for; shorter pieces of Base64 would match unrelated words. */
    private static final int SHORTEST_BASE64 = 8;

    private static final int LONGEST_ENCODED = 8192;

    /**
     * Beyond this number of values, and for longer values, only the plain forms are searched for: each form costs a
     * pass over the text.
     */
    private static final int MOST_ENCODED = 32;

    private SecretForms() {}

    /** All forms of these values, longest first, so that a form that contains another one is replaced as a whole. */
    static List<String> of(Collection<String> values) {
        var all = new TreeSet<>(
                Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        int encoded = 0;
        for (String value : values) {
            all.add(value);
            inJson(value, all);
            if (value.length() <= LONGEST_ENCODED && encoded++ < MOST_ENCODED) {
                encode(value, all);
            }
        }
        return List.copyOf(all);
    }

    private static void encode(String value, Collection<String> all) {
        all.addAll(List.of(value.toUpperCase(Locale.ROOT), value.toLowerCase(Locale.ROOT)));
        inUrls(value, all);
        byte[] bytes = value.getBytes(UTF_8);
        String hex = HexFormat.of().formatHex(bytes);
        all.addAll(List.of(hex, hex.toUpperCase(Locale.ROOT)));
        inBase64(bytes, all);
    }

    /** Adds the value as Longhaul, Jackson, Logback, and writers that escape everything but ASCII write it in JSON. */
    private static void inJson(String value, Collection<String> all) {
        String quoted = Payload.quoted(value);
        String escaped = quoted.substring(1, quoted.length() - 1);
        String shorter =
                escaped.replace("\\u0009", "\\t").replace("\\u000a", "\\n").replace("\\u000d", "\\r");
        all.addAll(List.of(escaped, shorter, shorter.replace("/", "\\/"), ascii(shorter)));
    }

    private static String ascii(String json) {
        var ascii = new StringBuilder(json.length());
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c < 0x80) {
                ascii.append(c);
            } else {
                ascii.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        return ascii.toString();
    }

    /** Adds the value as it is written in form data and paths, with hex digits of either case. */
    private static void inUrls(String value, Collection<String> all) {
        String form = URLEncoder.encode(value, UTF_8);
        String path = form.replace("+", "%20");
        all.addAll(List.of(form, path, lowerDigits(form), lowerDigits(path)));
    }

    private static String lowerDigits(String encoded) {
        var lower = new StringBuilder(encoded);
        for (int at = lower.indexOf("%"); at >= 0; at = lower.indexOf("%", at + 3)) {
            lower.replace(at, at + 3, lower.substring(at, at + 3).toLowerCase(Locale.ROOT));
        }
        return lower.toString();
    }

    private static void inBase64(byte[] bytes, Collection<String> all) {
        for (int before = 0; before < 3; before++) {
            byte[] shifted = new byte[before + bytes.length];
            System.arraycopy(bytes, 0, shifted, before, bytes.length);
            int first = (before * 8 + 5) / 6;
            int end = shifted.length * 8 / 6;
            if (end - first >= SHORTEST_BASE64) {
                for (Base64.Encoder encoder : Arrays.asList(Base64.getEncoder(), Base64.getUrlEncoder())) {
                    all.add(encoder.encodeToString(shifted).substring(first, end));
                }
            }
        }
    }
}
