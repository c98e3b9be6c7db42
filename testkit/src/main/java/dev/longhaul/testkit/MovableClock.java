package dev.longhaul.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. */
public final class MovableClock implements InstantSource {
    private final AtomicReference<Instant> time;

    /** Begins at the real time of now. */
    public MovableClock() {
        this(Instant.now().truncatedTo(ChronoUnit.MICROS));
    }

    public MovableClock(Instant start) {
        time = new AtomicReference<>(start);
    }

    public void advance(Duration by) {
        time.updateAndGet(now -> now.plus(by));
    }

    @Override
    public Instant instant() {
        return time.get();
    }
}
