package dev.longhaul.process.child;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Hears what the worker says: first what to run, then what concerns that run. It is there before, so that nothing has to begin then. */
final class Listener extends Thread {
    private static final int WORKER_IS_GONE = 70;

    private final Wire wire;
    private final Deque<Wire.Said> untold = new ArrayDeque<>();
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
                heard(said);
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("longhaul: " + e);
        }
        Runtime.getRuntime().halt(WORKER_IS_GONE);
    }

    private synchronized void heard(Wire.Said said) {
        if (context == null) {
            untold.add(said);
            notifyAll();
        } else {
            context.told(said);
        }
    }

    /** The first word. */
    synchronized Wire.Said awaitAssignment() throws InterruptedException {
        while (untold.isEmpty()) {
            wait();
        }
        return untold.remove();
    }

    /** Tells the context what has been said since, and is from now on. */
    synchronized void tell(ChildContext running) {
        context = running;
        untold.forEach(running::told);
    }
}
