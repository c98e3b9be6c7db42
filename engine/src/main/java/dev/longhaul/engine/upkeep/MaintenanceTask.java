package dev.longhaul.engine.upkeep;

import dev.longhaul.spi.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/** A periodic maintenance task. {@link Scheduler} loops and logs; tests call {@link #runOnce}. */
interface MaintenanceTask {
    String name();

    Duration interval();

    void runOnce(Instant now);

    /** Whether jobs make no progress without this task. If such a task keeps failing, the process is unhealthy. */
    default boolean vital() {
        return true;
    }

    /** Whether this signal of the store brings the next pass forward. */
    default boolean wokenBy(Signal signal) {
        return false;
    }

    /**
     * The wait after a pass. It is randomly slightly shorter than the interval, so that processes do not synchronize.
     */
    default Duration pause() {
        return Duration.ofMillis(
                Math.round(interval().toMillis() * ThreadLocalRandom.current().nextDouble(0.8, 1.0)));
    }
}
