package dev.longhaul.engine;

import java.util.concurrent.TimeUnit;

/**
 * Lets one thread sleep until a time or a wake-up. A wake-up that comes before the sleep ends that sleep immediately.
 */
final class Waker {
    private boolean woken;

    synchronized void wake() {
        if (!woken) {
            woken = true;
            notifyAll();
        }
    }

    /** Sleeps; returns whether it was woken before the time was over. */
    synchronized boolean sleep(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !woken; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        boolean early = woken;
        woken = false;
        return early;
    }
}
