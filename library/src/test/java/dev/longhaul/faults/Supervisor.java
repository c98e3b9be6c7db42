package dev.longhaul.faults;

import dev.longhaul.faults.WorkerProcess.Setup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Keeps a number of workers running: a worker that dies or is killed is replaced by one with a new id. */
final class Supervisor implements AutoCloseable {
    private final Setup setup;
    private final List<WorkerProcess> working = new ArrayList<>();
    private final Map<String, Instant> killed = new HashMap<>();
    private int started;
    private int died;
    private boolean closed;

    Supervisor(Setup setup, int workers) {
        this.setup = setup;
        for (int i = 0; i < workers; i++) {
            startOne();
        }
    }

    private synchronized void startOne() {
        if (closed) {
            return;
        }
        var worker = WorkerProcess.start("worker-" + ++started, setup);
        working.add(worker);
        worker.onExit(() -> replace(worker));
    }

    private synchronized void replace(WorkerProcess worker) {
        died++;
        working.remove(worker);
        startOne();
    }

    /** Kills one of the workers that have started working; returns whether there was one. */
    boolean killOne(RandomGenerator random, Journal journal) {
        WorkerProcess victim = choose(random);
        if (victim == null) {
            return false;
        }
        Instant before = journal.now();
        synchronized (this) {
            killed.put(victim.id(), before);
        }
        victim.kill();
        return true;
    }

    private synchronized @Nullable WorkerProcess choose(RandomGenerator random) {
        List<WorkerProcess> ready =
                working.stream().filter(WorkerProcess::ready).toList();
        return ready.isEmpty() ? null : ready.get(random.nextInt(ready.size()));
    }

    /** When each killed worker was killed, or a moment earlier, by the database's clock. */
    synchronized Map<String, Instant> killed() {
        return Map.copyOf(killed);
    }

    synchronized int died() {
        return died;
    }

    @Override
    public void close() {
        List<WorkerProcess> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(working);
        }
        left.forEach(WorkerProcess::close);
    }
}
