package dev.longhaul;

import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.spi.Store;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;

/** One stateless pass over the store. */
final class Tick {
    private static final Duration TERM = Duration.ofSeconds(10);
    private static final int MOST_EXPIRED = 1000;

    private final Store store;
    private final WorkerBackend backend;
    private final IntSupplier schedules;

    /**
     * Creates a pass.
     *
     * @param schedules fires the due schedules, and returns how many jobs they created
     */
    Tick(Store store, WorkerBackend backend, IntSupplier schedules) {
        this.store = store;
        this.backend = backend;
        this.schedules = schedules;
    }

    TickReport run(int max) {
        new Problems().require(max >= 1 && max <= 100, "max", max, "1 to 100").throwIfAny();
        // Leases expire first: only the first call of lead in this pass sees how long ago the previous pass was.
        int expired = endExpired();
        int fired = schedules.getAsInt();
        int hooks = backend.runHooks();
        List<ClaimedJob> claimed = backend.claim(max);
        long waiting = waiting();
        return new TickReport(fired, expired, hooks, executeAll(claimed), waiting);
    }

    /**
     * Ends runs whose leases have expired or whose deadlines have passed, unless another process is the leader; returns
     * how many runs it ended.
     */
    private int endExpired() {
        WorkerConfig config = backend.config();
        return store.upkeep()
                .lead("reset-" + config.workerId(), TERM, config.lease())
                .map(leadership -> {
                    int expired = store.upkeep()
                                    .expireLeases(leadership, MOST_EXPIRED)
                                    .size()
                            + store.upkeep()
                                    .endOverdue(leadership, MOST_EXPIRED)
                                    .size();
                    store.upkeep().resign(leadership);
                    return expired;
                })
                .orElse(0);
    }

    /**
     * Returns how many more jobs could be claimed. The number is used for scaling only, so the claimed jobs run even if
     * it cannot be read.
     */
    private long waiting() {
        Set<DefinitionRef> known = backend.definitions();
        if (known.isEmpty()) {
            return 0;
        }
        try {
            return store.queues().dueCount(List.copyOf(backend.config().queues().keySet()), known);
        } catch (LonghaulException e) {
            return 0;
        }
    }

    private List<WorkerBackend.Executed> executeAll(List<ClaimedJob> claimed) {
        List<WorkerBackend.Executed> executed = Collections.synchronizedList(new ArrayList<>());
        var threads = new ArrayList<Thread>();
        for (ClaimedJob job : claimed) {
            var thread = new Thread(() -> executed.add(execute(job)), "longhaul-tick");
            thread.start();
            threads.add(thread);
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    threads.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return executed;
    }

    private WorkerBackend.Executed execute(ClaimedJob job) {
        try {
            return backend.execute(job);
        } catch (RuntimeException e) {
            return new WorkerBackend.Executed(job.job().id(), false, 0, Failure.of(e));
        }
    }
}
