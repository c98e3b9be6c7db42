package dev.longhaul.cli.client;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses and formats durations: {@code 90}, {@code 90s}, {@code 5m}, {@code 2h}, {@code 7d}. */
public final class DurationOption implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)?");

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' (expected: a duration such as 90s, 5m, 2h or 7d)");
        }
        long count = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        return switch (unit == null ? "s" : unit) {
            case "ms" -> Duration.ofMillis(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            case "d" -> Duration.ofDays(count);
            default -> Duration.ofSeconds(count);
        };
    }

    /** Formats a duration, rounded down to its largest unit, such as {@code 5 min}. */
    public static String about(Duration span) {
        long seconds = Math.max(0, span.toSeconds());
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 2 * 3600) {
            return seconds / 60 + " min";
        }
        return seconds < 2 * 86_400 ? seconds / 3600 + " h" : seconds / 86_400 + " d";
    }

    /** Formats a duration with two or three digits, such as {@code 516 ms}, {@code 3.4 s} or {@code 14 min}. */
    static String exact(Duration span) {
        long millis = Math.max(0, span.toMillis());
        if (millis < 1000) {
            return millis + " ms";
        }
        return millis < 10_000 ? millis / 1000 + "." + millis % 1000 / 100 + " s" : about(span);
    }
}
