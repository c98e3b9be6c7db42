package dev.longhaul.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/** A clock whose time changes only when a test moves it. */
public final class MovableClock implements InstantSource {
    private volatile Instant time;

    /** Starts at the current time. */
    public MovableClock() {
        this(Instant.now().truncatedTo(ChronoUnit.MICROS));
    }

    public MovableClock(Instant start) {
        time = start;
    }

    public synchronized void advance(Duration by) {
        time = time.plus(by);
    }

    @Override
    public Instant instant() {
        return time;
    }
}
