package dev.longhaul.process;

import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.Processes;
import dev.longhaul.process.sitter.TreeKiller;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at how much memory trees have, where the kernel would not limit it, and ends those that have too much; and ends the rest
 * of those of which the kernel has killed a process.
 */
final class MemoryWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
    private static final long INTERVAL_MILLIS = 100;

    private final Set<Watched> all = new CopyOnWriteArraySet<>();
    private final Set<SupervisedProcess> limited = new CopyOnWriteArraySet<>();
    private @Nullable Thread thread;
    private volatile boolean closed;
    /** Used by the thread alone. */
    private Processes processes = Processes.none();

    private @Nullable String seen;

    synchronized Watched watch(ProcessTree tree, @Nullable Long limit) {
        var watched = new Watched(tree, limit);
        all.add(watched);
        startThread();
        return watched;
    }

    /** From now on, when the kernel kills one of its processes for its memory, the others are killed too. */
    synchronized void watch(SupervisedProcess process) {
        limited.add(process);
        startThread();
    }

    void forget(SupervisedProcess process) {
        limited.remove(process);
    }

    private void startThread() {
        if (thread == null) {
            thread = new Thread(this::loop, "longhaul-memory-watch");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void loop() {
        try {
            while (!closed) {
                lookAtAll();
                Thread.sleep(INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** To look for processes takes far longer than to look at those that are known. */
    private void lookAtAll() {
        try {
            limited.forEach(SupervisedProcess::killIfOutOfMemory);
            if (all.isEmpty()) {
                return;
            }
            String newest = Processes.newest();
            if (!newest.equals(seen)) {
                processes = Processes.now();
                seen = newest;
            }
            all.forEach(watched -> watched.look(processes));
        } catch (RuntimeException e) {
            LOG.warn("the memory of jobs could not be looked at", e);
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

        private void look(Processes now) {
            Set<Long> pids = TreeKiller.pids(tree, now);
            long bytes = Processes.residentBytes(pids);
            if (limit != null && bytes > limit) {
                // Forks share most of what they have.
                bytes = Processes.proportionalBytes(pids);
            }
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
