package dev.longhaul.cli.launch;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations in settings: {@code 500ms}, {@code 15s}, {@code 5m}, {@code 12h}, {@code 7d}. */
final class DurationText {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private DurationText() {}

    static Duration parse(String text, Duration least) {
        Matcher match = FORM.matcher(text);
        Duration time = match.matches() ? of(Long.parseLong(match.group(1)), match.group(2)) : null;
        if (time == null || time.compareTo(least) < 0) {
            throw new IllegalArgumentException(
                    "a time of at least " + write(least) + " such as 500ms, 15s, 5m, 12h, 7d");
        }
        return time;
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    static String write(Duration time) {
        if (time.toMillisPart() > 0) {
            return time.toMillis() + "ms";
        }
        if (time.toSecondsPart() > 0 || time.isZero()) {
            return time.toSeconds() + "s";
        }
        return time.toMinutesPart() > 0 ? time.toMinutes() + "m" : time.toHours() + "h";
    }
}
