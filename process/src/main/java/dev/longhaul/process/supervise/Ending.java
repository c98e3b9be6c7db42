package dev.longhaul.process.supervise;

import dev.longhaul.event.EventType;
import dev.longhaul.spi.Execution;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a process exits. Terminates it when it exceeds its timeout, and kills it when the waiting thread is
 * interrupted. Sends heartbeats while it waits.
 */
public final class Ending {
    static final Duration BEAT = Duration.ofSeconds(10);

    private final SupervisedProcess process;
    private final @Nullable Duration timeout;
    private final Duration grace;
    private final Consumer<String> heartbeat;
    private final long beatNanos;
    private long nextBeat;
    private @Nullable ProcessEnd end;
    private boolean tookTooLong;

    public Ending(SupervisedProcess process, @Nullable Duration timeout, Duration grace, Execution execution) {
        this(process, timeout, grace, BEAT, text -> execution.report(EventType.HEARTBEAT, text));
    }

    /**
     * Creates a waiter for the process.
     *
     * @param beat interval of heartbeats
     * @param heartbeat receives the resource usage of the process as JSON
     */
    public Ending(
            SupervisedProcess process,
            @Nullable Duration timeout,
            Duration grace,
            Duration beat,
            Consumer<String> heartbeat) {
        this.process = process;
        this.timeout = timeout;
        this.grace = grace;
        this.heartbeat = heartbeat;
        this.beatNanos = beat.toNanos();
        this.nextBeat = System.nanoTime() + beatNanos;
    }

    public void await() {
        boolean interrupted = false;
        while (end == null) {
            try {
                if (!interrupted) {
                    endInTime();
                }
                end = process.await();
            } catch (InterruptedException e) {
                // The worker interrupts only after the grace period, so kill the process now.
                interrupted = true;
                process.kill();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void endInTime() throws InterruptedException {
        if (endsWithin(timeout == null ? Long.MAX_VALUE : timeout.toNanos())) {
            return;
        }
        tookTooLong = true;
        process.terminate();
        if (!endsWithin(grace.toNanos())) {
            process.kill();
        }
    }

    private boolean endsWithin(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        for (long now = System.nanoTime(); until - now > 0; now = System.nanoTime()) {
            if (process.endsWithin(Math.min(until - now, nextBeat - now), TimeUnit.NANOSECONDS)) {
                return true;
            }
            if (nextBeat - System.nanoTime() <= 0) {
                heartbeat.accept(process.usageJson());
                nextBeat = System.nanoTime() + beatNanos;
            }
        }
        return process.endsWithin(0, TimeUnit.NANOSECONDS);
    }

    public boolean tookTooLong() {
        return tookTooLong;
    }

    public ProcessEnd how() {
        if (end == null) {
            throw new IllegalStateException("the process has not ended");
        }
        return end;
    }
}
