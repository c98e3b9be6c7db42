package dev.longhaul.process.supervise;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.Processes;
import dev.longhaul.process.sitter.TreeKiller;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/**
 * Looks at how much memory trees have, where the kernel would not limit it, and ends those that have too much; and ends the rest
 * of those of which the kernel has killed a process.
 */
final class MemoryWatch implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 100;

    private final Set<Watched> all = new CopyOnWriteArraySet<>();
    private final Set<SupervisedProcess> limited = new CopyOnWriteArraySet<>();
    private @Nullable BackgroundLoop loop;
    private volatile boolean closed;
    /** Used by the thread alone. */
    private Processes processes = Processes.none();

    private @Nullable String seen;

    synchronized Watched watch(ProcessTree tree, @Nullable Long limit) {
        var watched = new Watched(tree, limit);
        all.add(watched);
        startLoop();
        return watched;
    }

    /** From now on, when the kernel kills one of its processes for its memory, the others are killed too. */
    synchronized void watch(SupervisedProcess process) {
        limited.add(process);
        startLoop();
    }

    void forget(SupervisedProcess process) {
        limited.remove(process);
    }

    private void startLoop() {
        if (loop == null) {
            loop = BackgroundLoop.vital("memory-watch", this::pass);
        }
    }

    private boolean pass() throws InterruptedException {
        lookAtAll();
        Thread.sleep(INTERVAL_MILLIS);
        return !closed;
    }

    /** To look for processes takes far longer than to look at those that are known. */
    private void lookAtAll() {
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
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (loop != null) {
            loop.interrupt();
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
