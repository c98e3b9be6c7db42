package dev.longhaul.cli.client.job;

import dev.longhaul.cli.client.Screen;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** While it is open, a signal that ends this program (Ctrl-C) makes it say that the job goes on, and exit accordingly. */
final class StillGoing implements AutoCloseable {
    private final Screen screen;
    private final String jobId;
    private final ReentrantLock printing = new ReentrantLock();
    private final Thread hook = new Thread(this::leave, "longhaul-still-going");

    StillGoing(Screen screen, String jobId) {
        this.screen = screen;
        this.jobId = jobId;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Prints something, unless the program is about to end: nothing may come after its last word. */
    void print(Runnable lines) {
        printing.lock();
        try {
            lines.run();
        } finally {
            printing.unlock();
        }
    }

    private void leave() {
        try {
            // Kept for good. Where a reader has stopped reading it is not to be had, and nothing can be said.
            if (printing.tryLock(1, TimeUnit.SECONDS)) {
                screen.out().print(screen.live() ? System.lineSeparator() : "");
                screen.out().flush();
                say();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // Once the program is ending, only this can still choose the exit code.
        Runtime.getRuntime().halt(Outcome.STILL_GOING);
    }

    void say() {
        screen.err().println("longhaul: job " + jobId + " is still going; longhaul watch " + jobId + " goes on here");
        screen.err().flush();
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is ending, and the hook runs.
        }
    }
}
