package dev.longhaul.process;

import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.Processes;
import dev.longhaul.process.sitter.TreeKiller;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/** Looks at how much memory trees have, where the kernel would not limit it, and ends those that have too much. */
final class MemoryWatch implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 100;

    private final Set<Watched> all = new CopyOnWriteArraySet<>();
    private @Nullable Thread thread;
    private volatile boolean closed;

    synchronized Watched watch(ProcessTree tree, @Nullable Long limit) {
        var watched = new Watched(tree, limit);
        all.add(watched);
        if (thread == null) {
            thread = new Thread(this::loop, "longhaul-memory-watch");
            thread.setDaemon(true);
            thread.start();
        }
        return watched;
    }

    private void loop() {
        try {
            while (!closed) {
                all.forEach(Watched::look);
                Thread.sleep(INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** A tree that is looked at. */
    final class Watched implements AutoCloseable {
        private final ProcessTree tree;
        private final @Nullable Long limit;
        private volatile long peak;
        private volatile boolean exceeded;

        private Watched(ProcessTree tree, @Nullable Long limit) {
            this.tree = tree;
            this.limit = limit;
        }

        private void look() {
            long bytes = Processes.residentBytes(TreeKiller.pids(tree));
            peak = Math.max(peak, bytes);
            if (limit != null && bytes > limit) {
                exceeded = true;
                TreeKiller.kill(tree);
            }
        }

        long peak() {
            return peak;
        }

        boolean exceeded() {
            return exceeded;
        }

        @Override
        public void close() {
            all.remove(this);
        }
    }
}
