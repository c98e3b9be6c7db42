package dev.longhaul.internal.loop;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that repeats one pass until the pass returns false or {@link #close} interrupts it. No exception or
 * Error of a pass ends the loop: it is counted, logged at most once a minute, and the next pass starts after a pause.
 * An unavailable store is not a failure of the loop; its outage is logged once at the start and once at the end.
 */
public final class BackgroundLoop {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundLoop.class);
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_VITAL_PAUSE_MILLIS = 1000;
    private static final long LONGEST_PAUSE_MILLIS = 30_000;
    /**
     * After a failure, a pass that has lasted this long counts as a recovery, although it has not returned: most passes
     * wait for work, which may not arrive for hours.
     */
    private static final long RECOVERED = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final boolean vital;
    private final Pass pass;
    private final Runnable atEnd;
    private final Thread thread;
    private final AtomicLong failures;
    private final RareLog errors = new RareLog(LOG);
    private volatile boolean ending;
    private volatile boolean pausing;
    private volatile long passBegan = System.nanoTime();
    private volatile @Nullable Class<?> failing;
    private boolean unavailable;
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    /** One pass of a loop: waits for work and does it. */
    @FunctionalInterface
    public interface Pass {
        /** Returns false when the loop should end. */
        boolean run() throws Exception;
    }

    private BackgroundLoop(String name, boolean vital, Pass pass, Runnable atEnd) {
        this.name = name;
        this.vital = vital;
        this.pass = pass;
        this.atEnd = atEnd;
        this.thread = new Thread(this::repeat, "longhaul-" + name);
        thread.setDaemon(true);
        this.failures = Loops.add(this);
    }

    /** Starts a loop that jobs depend on: while it fails, the process is alive but not ready. */
    public static BackgroundLoop vital(String name, Pass pass) {
        return vital(name, pass, () -> {});
    }

    /** @param atEnd called by the loop's thread when it ends, for any reason */
    public static BackgroundLoop vital(String name, Pass pass, Runnable atEnd) {
        return started(new BackgroundLoop(name, true, pass, atEnd));
    }

    /** Starts a loop whose failure does not stop jobs: the process stays ready. */
    public static BackgroundLoop helper(String name, Pass pass) {
        return helper(name, pass, () -> {});
    }

    /** @param atEnd called by the loop's thread when it ends, for any reason */
    public static BackgroundLoop helper(String name, Pass pass, Runnable atEnd) {
        return started(new BackgroundLoop(name, false, pass, atEnd));
    }

    private static BackgroundLoop started(BackgroundLoop loop) {
        try {
            loop.thread.start();
            return loop;
        } catch (Error e) {
            // No thread could be created.
            Loops.remove(loop);
            throw e;
        }
    }

    /**
     * Waits up to {@code millis} for the loop to end by itself, then interrupts it; returns whether it has ended. The
     * owner must first make the pass return false.
     */
    public boolean close(long millis) {
        try {
            if (!join(millis)) {
                interrupt();
            }
        } catch (InterruptedException e) {
            interrupt();
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /** Ends the loop as soon as its pass can be interrupted. */
    public void interrupt() {
        ending = true;
        thread.interrupt();
    }

    /** Waits up to {@code millis} for the loop to end; returns whether it has. */
    public boolean join(long millis) throws InterruptedException {
        thread.join(Math.max(1, millis));
        return !thread.isAlive();
    }

    /** Counts and logs a failure that concerns one item of many: the loop handles the next item and is not down. */
    public void note(Throwable failure) {
        failures.incrementAndGet();
        errors.error(name + ": unexpected error with one item; continuing", failure);
    }

    String name() {
        return name;
    }

    /** Returns why this loop is down and keeps jobs from running; null if it works, or if jobs do not depend on it. */
    @Nullable
    String problem() {
        if (!vital) {
            return null;
        }
        if (thread.getState() == Thread.State.TERMINATED) {
            return name + ": thread died";
        }
        Class<?> failure = failing;
        if (failure == null || (!pausing && System.nanoTime() - passBegan >= RECOVERED)) {
            return null;
        }
        return name + ": failing (" + failure.getName() + ")";
    }

    private void repeat() {
        boolean more = true;
        while (more) {
            more = runOnce();
        }
        try {
            atEnd.run();
        } catch (Throwable e) {
            errors.error(name + ": ending failed", e);
        }
        Loops.remove(this);
    }

    private boolean runOnce() {
        Throwable failure;
        try {
            passBegan = System.nanoTime();
            if (!pass.run()) {
                return false;
            }
            succeeded();
            return true;
        } catch (Throwable e) {
            failure = e;
        }
        try {
            return continueAfter(failure);
        } catch (Throwable e) {
            // Handling the failure failed too, for example because memory is exhausted.
            return !ending;
        }
    }

    private void succeeded() {
        if (failing != null || unavailable) {
            LOG.info("{}: recovered", name);
            failing = null;
            unavailable = false;
            pauseMillis = FIRST_PAUSE_MILLIS;
        }
    }

    /** Records the failure and pauses; returns false when the loop was interrupted in order to end it. */
    private boolean continueAfter(Throwable failure) {
        // Clears the interrupt flag, which would cut the pause short. Only an interrupt by close ends the loop.
        boolean interrupted = Thread.interrupted() || failure instanceof InterruptedException;
        if (ending && interrupted) {
            return false;
        }
        if (failure instanceof LonghaulException known && known.code() == ErrorCode.UNAVAILABLE) {
            if (!unavailable) {
                unavailable = true;
                LOG.warn("{}: {}; retrying until the store is available again", name, known.getMessage());
            }
        } else {
            pausing = true;
            failing = failure.getClass();
            failures.incrementAndGet();
            errors.error(name + ": unexpected error; continuing", failure);
        }
        return pause();
    }

    private boolean pause() {
        try {
            Thread.sleep(Math.round(pauseMillis * ThreadLocalRandom.current().nextDouble(0.5, 1.0)));
        } catch (InterruptedException e) {
            return !ending;
        } finally {
            pausing = false;
            pauseMillis = Math.min(2 * pauseMillis, vital ? LONGEST_VITAL_PAUSE_MILLIS : LONGEST_PAUSE_MILLIS);
        }
        return true;
    }
}
