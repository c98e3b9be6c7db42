package dev.longhaul.engine;

import java.util.concurrent.TimeUnit;

/** Where one thread sleeps until it is time or somebody wakes it; a wake-up that comes too early is kept for the next sleep. */
final class Waker {
    private boolean woken;

    synchronized void wake() {
        if (!woken) {
            woken = true;
            notifyAll();
        }
    }

    /** Sleeps; answers whether it was woken before the time was over. */
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
