package dev.longhaul.scheduler;

import java.time.Duration;
import java.time.Instant;

/** A task that is done again and again. One runner loops, jitters and logs; tests call {@link #runOnce}. */
public interface Duty {
    String name();

    Duration interval();

    void runOnce(Instant now);
}
