package dev.longhaul.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.longhaul.server.rest.LogLevel;
import dev.longhaul.server.rest.LogLevels;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Reads and changes the log levels of this process: one level for Longhaul's own loggers, and one for each other named
 * logger.
 */
public final class RunningLog implements LogLevel {
    private final Logger own = logger("dev.longhaul");
    /** The configured levels of the named loggers, before they were changed. */
    private final Map<Logger, @Nullable Level> before = new HashMap<>();

    private LogLevels levels;

    public RunningLog(LogLevels levels) {
        this.levels = levels;
        change(levels);
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }

    @Override
    public synchronized String get() {
        return levels.text(own.getEffectiveLevel().toString().toLowerCase(Locale.ROOT));
    }

    @Override
    public synchronized void set(LogLevels wanted) {
        before.forEach(Logger::setLevel);
        before.clear();
        levels = wanted;
        change(wanted);
    }

    private void change(LogLevels wanted) {
        String level = wanted.own();
        if (level != null) {
            own.setLevel(Level.toLevel(level));
        }
        wanted.loggers().forEach((name, its) -> {
            Logger logger = logger(name);
            before.put(logger, logger.getLevel());
            logger.setLevel(Level.toLevel(its));
        });
    }
}
