package dev.longhaul.cli.launch;

import dev.longhaul.cli.log.OwnLevel;
import dev.longhaul.cli.log.RunningLog;
import dev.longhaul.server.rest.LogLevels;
import java.util.List;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Sets the log level and format as system properties. {@code logback.xml} reads them when the first line is logged. */
final class Logging {
    private static final String FORMAT = "longhaul.log.format";
    private static final List<String> FORMATS = List.of("text", "json");

    private Logging() {}

    /**
     * Sets the level and the format. Returns whether output is verbose. Adds invalid values to the problems of the
     * settings.
     */
    static boolean apply(Settings settings) {
        boolean verbose = settings.flag(Setting.VERBOSE);
        System.setProperty(OwnLevel.PROPERTY, level(settings, verbose));
        System.setProperty(FORMAT, format(settings));
        // Libraries that use java.util.logging then log in the same format, with secrets masked.
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

    /** Returns the log levels as text. Adds an invalid value to the problems of the settings. */
    static String level(Settings settings, boolean verbose) {
        LogLevels levels = settings.parsed(Setting.LOG, LogLevels::parse);
        String usual = verbose ? "info" : OwnLevel.USUAL;
        if (levels == null || !settings.has(Setting.LOG)) {
            return usual;
        }
        String own = levels.own();
        return levels.text(own == null ? usual : own);
    }

    /** Returns the log levels of this process, including the loggers that its settings name. */
    static RunningLog running() {
        return new RunningLog(LogLevels.parse(System.getProperty(OwnLevel.PROPERTY, OwnLevel.USUAL)));
    }
}
