package dev.longhaul.server.rest;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Log levels in the format {@code info,com.example=debug}.
 *
 * @param own the level of Longhaul's loggers; null does not change it
 * @param loggers the levels of other loggers and their children, by name
 */
public record LogLevels(@Nullable String own, Map<String, String> loggers) {
    /** Maximum number of characters. */
    static final int MOST = 1000;

    /** Changes no level. */
    static final LogLevels NONE = new LogLevels(null, Map.of());

    private static final List<String> LEVELS = List.of("error", "warn", "info", "debug");
    private static final Pattern LOGGER = Pattern.compile("[A-Za-z0-9_.$-]+");
    private static final String EXPECTED = "error, warn, info or debug, for other loggers as in info,com.example=debug";

    public LogLevels {
        loggers = Collections.unmodifiableMap(new TreeMap<>(loggers));
    }

    /** Parses levels; throws an {@link IllegalArgumentException} whose message is the expected format. */
    public static LogLevels parse(String text) {
        if (text.length() > MOST) {
            throw new IllegalArgumentException("at most " + MOST + " characters");
        }
        String own = null;
        var loggers = new TreeMap<String, String>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            String level = part.substring(equals + 1).strip();
            require(LEVELS.contains(level));
            if (equals < 0) {
                require(own == null);
                own = level;
            } else {
                String logger = part.substring(0, equals).strip();
                require(LOGGER.matcher(logger).matches() && loggers.put(logger, level) == null);
            }
        }
        return new LogLevels(own, loggers);
    }

    private static void require(boolean right) {
        if (!right) {
            throw new IllegalArgumentException(EXPECTED);
        }
    }

    /** Formats the levels. {@code level} is the level of Longhaul's loggers. */
    public String text(String level) {
        var text = new StringBuilder(level);
        loggers.forEach(
                (logger, set) -> text.append(',').append(logger).append('=').append(set));
        return text.toString();
    }
}
