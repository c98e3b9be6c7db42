package dev.longhaul.internal.loop;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs errors that may repeat many times a second: at most one per minute, with the number of suppressed errors. Never
 * throws.
 */
public final class RareLog {
    private static final long INTERVAL = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private @Nullable Long lastLogged;
    private long suppressed;

    public RareLog(Logger log) {
        this.log = log;
    }

    /** Logs that {@code what} failed, unless an error was logged less than a minute ago. */
    public void error(String what, Throwable failure) {
        try {
            long others = suppressedBefore(System.nanoTime());
            if (others >= 0) {
                write(others == 0 ? what : what + " (" + others + " more errors since the last report)", failure);
            }
        } catch (Throwable e) {
            // Out of memory, or a logger that fails: the caller must continue.
        }
    }

    private void write(String message, Throwable failure) {
        try {
            log.error("{}", message, failure);
        } catch (Throwable e) {
            // Loggers call methods of the exception, which may throw.
            log.error(
                    "{}: {} (its details cannot be logged)",
                    message,
                    failure.getClass().getName());
        }
    }

    /** How many errors were suppressed since the last report; negative when this one is suppressed, too. */
    private synchronized long suppressedBefore(long now) {
        Long last = lastLogged;
        if (last != null && now - last < INTERVAL) {
            suppressed++;
            return -1;
        }
        lastLogged = now;
        long others = suppressed;
        suppressed = 0;
        return others;
    }
}
