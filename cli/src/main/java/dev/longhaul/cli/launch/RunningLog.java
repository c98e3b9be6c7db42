package dev.longhaul.cli.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.longhaul.server.LogLevel;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/** The level of Longhaul's own lines, in this process. */
final class RunningLog implements LogLevel {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.longhaul");

    @Override
    public String get() {
        return logger.getEffectiveLevel().toString().toLowerCase(Locale.ROOT);
    }

    @Override
    public void set(String level) {
        logger.setLevel(Level.toLevel(level));
    }
}
