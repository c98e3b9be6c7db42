package dev.longhaul.engine.upkeep;

import dev.longhaul.spi.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/** A task that is done again and again. One runner loops, measures and logs; tests call {@link #runOnce}. */
interface Duty {
    String name();

    Duration interval();

    void runOnce(Instant now);

    /** Whether jobs stand still without it, so that a process in which it keeps failing is not healthy. */
    default boolean vital() {
        return true;
    }

    /** Whether this signal of the store brings the next pass forward. */
    default boolean wokenBy(Signal signal) {
        return false;
    }

    /** How long to wait after a pass: a little less than the interval, so that processes do not fall into step. */
    default Duration pause() {
        return Duration.ofMillis(
                Math.round(interval().toMillis() * ThreadLocalRandom.current().nextDouble(0.8, 1.0)));
    }
}
