package dev.longhaul.process.child;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages from the worker: first the assignment, then messages for that run. The thread starts before the
 * assignment arrives, to save time.
 */
final class Listener extends Thread {
    private static final int WORKER_LOST = 70;

    private final Wire wire;
    private final Deque<Wire.Said> pending = new ArrayDeque<>();
    private @Nullable ChildContext context;

    Listener(Wire wire) {
        super("longhaul-wire");
        this.wire = wire;
        setDaemon(true);
    }

    @Override
    public void run() {
        try {
            for (Wire.Said said = wire.hear(); said != null; said = wire.hear()) {
                received(said);
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("longhaul: " + e);
        }
        Runtime.getRuntime().halt(WORKER_LOST);
    }

    private synchronized void received(Wire.Said said) {
        if (context == null) {
            pending.add(said);
            notifyAll();
        } else {
            context.received(said);
        }
    }

    /** Waits for the first message. */
    synchronized Wire.Said awaitAssignment() throws InterruptedException {
        while (pending.isEmpty()) {
            wait();
        }
        return pending.remove();
    }

    /** Passes queued and later messages to the context. */
    synchronized void attach(ChildContext running) {
        context = running;
        pending.forEach(running::received);
    }
}
