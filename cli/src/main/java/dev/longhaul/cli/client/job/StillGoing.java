package dev.longhaul.cli.client.job;

import dev.longhaul.cli.client.Screen;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * While it is open, Ctrl-C prints a hint that the job has not finished, and exits with {@link Outcome#NOT_FINISHED}.
 */
final class StillGoing implements AutoCloseable {
    private final Screen screen;
    private final String jobId;
    private final ReentrantLock printing = new ReentrantLock();
    private final Thread hook = new Thread(this::exit, "longhaul-still-going");

    StillGoing(Screen screen, String jobId) {
        this.screen = screen;
        this.jobId = jobId;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Prints lines. Blocks once the program is exiting, so that nothing is printed after the hint. */
    void print(Runnable lines) {
        printing.lock();
        try {
            lines.run();
        } finally {
            printing.unlock();
        }
    }

    private void exit() {
        try {
            // The lock is never released, so that nothing is printed after the hint. If the output is no longer read,
            // the lock is not available, and the hint is not printed.
            if (printing.tryLock(1, TimeUnit.SECONDS)) {
                screen.out().print(screen.live() ? System.lineSeparator() : "");
                screen.out().flush();
                printHint();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // During shutdown, only halt can set the exit code.
        Runtime.getRuntime().halt(Outcome.NOT_FINISHED);
    }

    void printHint() {
        screen.err().println("longhaul: job " + jobId + " has not finished; to resume: longhaul watch " + jobId);
        screen.err().flush();
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is exiting, and the shutdown hook runs.
        }
    }
}
