package dev.longhaul.bench.engine;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Noop;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Submits jobs at fixed times, one per request, however long the responses take. A caller that is late sends
 * immediately, and the wait is counted from the intended time, so that a slow response cannot hide the wait of later
 * jobs.
 */
final class OpenLoop {
    private static final int CALLERS = 16;

    private final Longhaul longhaul;
    private final JobDefinition<Noop.Video, Noop.Done> definition;
    private final LongSupplier micros;

    OpenLoop(Longhaul longhaul, JobDefinition<Noop.Video, Noop.Done> definition, LongSupplier micros) {
        this.longhaul = longhaul;
        this.definition = definition;
        this.micros = micros;
    }

    /**
     * The times at which jobs were submitted.
     *
     * @param rate jobs per second
     * @param first number of the first job
     * @param intended when each job was scheduled to be sent
     * @param called when the call was made
     * @param end when the last job was scheduled to be sent
     */
    record Sent(int rate, int first, AtomicLongArray intended, AtomicLongArray called, long end) {
        int jobs() {
            return intended.length();
        }
    }

    /** Sends that many jobs per second. The first job has the number {@code first}. */
    Sent send(int first, int rate, double seconds) throws Exception {
        int jobs = Math.max(1, (int) (rate * seconds));
        var intended = new AtomicLongArray(jobs);
        var called = new AtomicLongArray(jobs);
        double gapNanos = 1e9 / rate;
        long startNanos = System.nanoTime() + 10_000_000;
        long startMicros = micros.getAsLong() + 10_000;
        var callers = new Load.Work[CALLERS];
        for (int i = 0; i < CALLERS; i++) {
            int caller = i;
            callers[i] = () -> {
                for (int n = caller; n < jobs; n += CALLERS) {
                    long wait = (long) (n * gapNanos);
                    sleepUntil(startNanos + wait);
                    intended.set(n, startMicros + wait / 1000);
                    called.set(n, micros.getAsLong());
                    longhaul.later(definition, Noop.video(first + n));
                }
            };
        }
        Load.seconds(callers);
        return new Sent(rate, first, intended, called, intended.get(jobs - 1));
    }

    private static void sleepUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
