package dev.longhaul.cli.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.longhaul.server.rest.LogLevel;
import dev.longhaul.server.rest.LogLevels;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The levels of Longhaul's own lines and of loggers that are named beside them, in this process. */
final class RunningLog implements LogLevel {
    private final Logger own = logger("dev.longhaul");
    /** What those that are named had before. */
    private final Map<Logger, @Nullable Level> before = new HashMap<>();

    private LogLevels levels;

    RunningLog(LogLevels levels) {
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
