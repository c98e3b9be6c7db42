package dev.longhaul.cli.launch;

import java.util.List;
import java.util.Locale;

/** How much is logged: {@code logback.xml} reads the level from a system property when the first line is logged. */
final class Logging {
    private static final String PROPERTY = "longhaul.log";
    private static final List<String> LEVELS = List.of("error", "warn", "info", "debug");

    private Logging() {}

    /** Sets the level; answers whether everything is to be told. What is wrong with it is noted in the settings. */
    static boolean apply(Settings settings) {
        boolean verbose = settings.flag(Setting.VERBOSE);
        System.setProperty(PROPERTY, level(settings, verbose).toUpperCase(Locale.ROOT));
        return verbose;
    }

    /** The level that is set; what is wrong with it is noted. */
    static String level(Settings settings, boolean verbose) {
        String level = settings.parsed(Setting.LOG, text -> {
            if (!LEVELS.contains(text)) {
                throw new IllegalArgumentException("error, warn, info or debug");
            }
            return text;
        });
        return verbose && !settings.has(Setting.LOG) ? "info" : String.valueOf(level);
    }
}
