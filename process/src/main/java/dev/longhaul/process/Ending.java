package dev.longhaul.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for the end of a process, and brings it about when the time is up or the waiting thread is interrupted. */
final class Ending {
    private final SupervisedProcess process;
    private final @Nullable Duration timeout;
    private final Duration grace;
    private @Nullable ProcessEnd end;
    private boolean tookTooLong;

    Ending(SupervisedProcess process, @Nullable Duration timeout, Duration grace) {
        this.process = process;
        this.timeout = timeout;
        this.grace = grace;
    }

    void await() {
        boolean interrupted = false;
        while (end == null) {
            try {
                if (!interrupted) {
                    endInTime();
                }
                end = process.await();
            } catch (InterruptedException e) {
                // The worker's last word: whatever the process does, it ends now.
                interrupted = true;
                process.kill();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void endInTime() throws InterruptedException {
        if (timeout == null || process.endsWithin(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return;
        }
        tookTooLong = true;
        process.terminate();
        if (!process.endsWithin(grace.toNanos(), TimeUnit.NANOSECONDS)) {
            process.kill();
        }
    }

    boolean tookTooLong() {
        return tookTooLong;
    }

    ProcessEnd how() {
        if (end == null) {
            throw new IllegalStateException("not ended");
        }
        return end;
    }
}
