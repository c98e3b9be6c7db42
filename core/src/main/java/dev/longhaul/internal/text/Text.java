package dev.longhaul.internal.text;

import java.time.Duration;
import java.util.StringJoiner;

/**
 * Checks which text a store can keep (PostgreSQL has no NUL character, and half a surrogate pair is not UTF-8), and
 * formats durations.
 */
public final class Text {
    private static final char REPLACEMENT = '\uFFFD';

    private Text() {}

    /** A duration for people, exact to the millisecond: {@code 2 s}, {@code 1 h 30 min}, {@code 7 d}. */
    public static String of(Duration duration) {
        if (duration.isNegative()) {
            return "-" + of(duration.negated());
        }
        var parts = new StringJoiner(" ");
        part(parts, duration.toDaysPart(), "d");
        part(parts, duration.toHoursPart(), "h");
        part(parts, duration.toMinutesPart(), "min");
        part(parts, duration.toSecondsPart(), "s");
        part(parts, duration.toMillisPart(), "ms");
        return parts.length() == 0 ? "0 s" : parts.toString();
    }

    private static void part(StringJoiner parts, long count, String unit) {
        if (count > 0) {
            parts.add(count + " " + unit);
        }
    }

    /** Whether every store keeps this text exactly. */
    public static boolean storable(CharSequence text) {
        return firstUnstorable(text, 0) < 0;
    }

    /** The text with each character that no store can keep replaced by U+FFFD, cut to {@code longest} characters. */
    public static String storableOf(String text, int longest) {
        String kept = text.length() <= longest ? text : text.substring(0, longest);
        int at = firstUnstorable(kept, 0);
        if (at < 0) {
            return kept;
        }
        var fixed = new StringBuilder(kept);
        for (; at >= 0; at = firstUnstorable(fixed, at + 1)) {
            fixed.setCharAt(at, REPLACEMENT);
        }
        return fixed.toString();
    }

    /**
     * Whether the strings in this JSON text are storable once their escapes are resolved; false for half a surrogate
     * pair.
     */
    public static boolean wholePairs(String json) {
        if (json.indexOf("\\u") < 0) {
            return true;
        }
        boolean high = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '\\' && i + 1 < json.length()) {
                c = json.charAt(++i) == 'u' && i + 4 < json.length() ? unit(json, i + 1) : ' ';
                i += c == ' ' ? 0 : 4;
            }
            if (high != Character.isLowSurrogate(c)) {
                return false;
            }
            high = Character.isHighSurrogate(c);
        }
        return !high;
    }

    /** The escaped UTF-16 unit of four hexadecimal digits; a space for anything else, which the parser rejects. */
    private static char unit(String json, int from) {
        int unit = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = Character.digit(json.charAt(i), 16);
            if (digit < 0) {
                return ' ';
            }
            unit = 16 * unit + digit;
        }
        return (char) unit;
    }

    /** The number of bytes of the text in UTF-8, counted without encoding it. */
    public static int utf8Length(CharSequence text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // Each half of a pair counts 2 of the pair's 4 bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }

    private static int firstUnstorable(CharSequence text, int from) {
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return i;
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }
}
