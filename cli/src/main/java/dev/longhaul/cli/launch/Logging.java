package dev.longhaul.cli.launch;

import dev.longhaul.server.rest.LogLevels;
import java.util.List;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** How much is logged, and in which form: {@code logback.xml} reads that from system properties when the first line is logged. */
final class Logging {
    static final String PROPERTY = "longhaul.log";
    private static final String FORMAT = "longhaul.log.format";
    private static final List<String> FORMATS = List.of("text", "json");

    private Logging() {}

    /** Sets the level; answers whether everything is to be told. What is wrong with it is noted in the settings. */
    static boolean apply(Settings settings) {
        boolean verbose = settings.flag(Setting.VERBOSE);
        System.setProperty(PROPERTY, level(settings, verbose));
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

    /** The levels that are set, as they are written; what is wrong with them is noted. */
    static String level(Settings settings, boolean verbose) {
        LogLevels levels = settings.parsed(Setting.LOG, LogLevels::parse);
        String usual = verbose ? "info" : OwnLevel.USUAL;
        if (levels == null || !settings.has(Setting.LOG)) {
            return usual;
        }
        String own = levels.own();
        return levels.text(own == null ? usual : own);
    }

    /** What this process logs from now on, with the loggers that were named when it was started. */
    static RunningLog running() {
        return new RunningLog(LogLevels.parse(System.getProperty(PROPERTY, OwnLevel.USUAL)));
    }
}
