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

    /** Whether jobs do not progress without this task, so that a process in which it keeps failing is unhealthy. */
    default boolean vital() {
        return true;
    }

    /** Whether this signal of the store brings the next pass forward. */
    default boolean wokenBy(Signal signal) {
        return false;
    }

    /** Wait after a pass: randomized to slightly less than the interval, so that processes do not synchronize. */
    default Duration pause() {
        return Duration.ofMillis(
                Math.round(interval().toMillis() * ThreadLocalRandom.current().nextDouble(0.8, 1.0)));
    }
}
