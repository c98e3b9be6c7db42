package dev.longhaul.bench.measure;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** Records when each job was started. Detects jobs that were started twice. */
public final class Starts {
    private static final long LOOK_MILLIS = 2;

    private final AtomicLongArray micros;
    private final AtomicInteger different = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();

    public Starts(int jobs) {
        micros = new AtomicLongArray(jobs);
    }

    public void started(int n, long at) {
        if (micros.compareAndSet(n, 0, at)) {
            different.incrementAndGet();
        } else {
            repeated.incrementAndGet();
        }
    }

    /** Returns how many jobs have been started. */
    public int count() {
        return different.get();
    }

    public int repeated() {
        return repeated.get();
    }

    /** Returns when job {@code n} was first started; 0 if it was not started. */
    public long micros(int n) {
        return micros.get(n);
    }

    /** Waits until that many jobs have been started; returns false on timeout. */
    public boolean await(int jobs, double seconds) throws InterruptedException {
        long until = System.nanoTime() + (long) (seconds * 1e9);
        while (count() < jobs) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }
}
