package dev.longhaul.cli.launch;

import java.util.List;
import java.util.Locale;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** How much is logged, and in which form: {@code logback.xml} reads that from system properties when the first line is logged. */
final class Logging {
    private static final String PROPERTY = "longhaul.log";
    private static final String FORMAT = "longhaul.log.format";
    private static final List<String> FORMATS = List.of("text", "json");
    private static final List<String> LEVELS = List.of("error", "warn", "info", "debug");

    private Logging() {}

    /** Sets the level; answers whether everything is to be told. What is wrong with it is noted in the settings. */
    static boolean apply(Settings settings) {
        boolean verbose = settings.flag(Setting.VERBOSE);
        System.setProperty(PROPERTY, level(settings, verbose).toUpperCase(Locale.ROOT));
        System.setProperty(FORMAT, format(settings));
        // What libraries log in other ways has the same form, and no secrets either.
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        return verbose;
    }

    private static String format(Settings settings) {
        String format = settings.parsed(Setting.LOG_FORMAT, text -> {
            if (!FORMATS.contains(text)) {
                throw new IllegalArgumentException("text or json");
            }
            return text;
        });
        return format == null ? FORMATS.get(0) : format;
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
