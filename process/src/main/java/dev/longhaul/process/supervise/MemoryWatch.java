package dev.longhaul.process.supervise;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.Processes;
import dev.longhaul.process.sitter.TreeKiller;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/** Finds a program in the system directories; does not use PATH. */
final class MemoryWatch implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 100;

    private final Set<Watched> all = new CopyOnWriteArraySet<>();
    private final Set<SupervisedProcess> limited = new CopyOnWriteArraySet<>();
    private @Nullable BackgroundLoop loop;
    private volatile boolean closed;
    /** Accessed only by the polling thread. */
    private Processes processes = Processes.none();

    private @Nullable String seen;

    synchronized Watched watch(ProcessTree tree, @Nullable Long limit) {
        var watched = new Watched(tree, limit);
        all.add(watched);
        startLoop();
        return watched;
    }

    /** Watches a run: kills all its processes when the kernel's OOM killer kills one of them. */
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
        checkAll();
        Thread.sleep(INTERVAL_MILLIS);
        return !closed;
    }

    /**
     * Checks all trees. Scans /proc only if a process has started since the last scan, because a scan costs far more
     * than reading known processes.
     */
    private void checkAll() {
        limited.forEach(SupervisedProcess::killIfOutOfMemory);
        if (all.isEmpty()) {
            return;
        }
        String newest = Processes.newest();
        if (!newest.equals(seen)) {
            processes = Processes.now();
            seen = newest;
        }
        all.forEach(watched -> watched.check(processes));
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (loop != null) {
            loop.interrupt();
        }
    }

    /** A process tree whose memory is polled. */
    final class Watched implements AutoCloseable {
        private final ProcessTree tree;
        private final @Nullable Long limit;
        private volatile long peak;
        private volatile boolean exceeded;

        private Watched(ProcessTree tree, @Nullable Long limit) {
            this.tree = tree;
            this.limit = limit;
        }

        private void check(Processes now) {
            Set<Long> pids = TreeKiller.pids(tree, now);
            long bytes = Processes.residentBytes(pids);
            if (limit != null && bytes > limit) {
                // Over the limit only by resident memory, which counts pages that forked processes share once per
                // process.
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
