package dev.longhaul;

import dev.longhaul.error.Problems;
import dev.longhaul.job.Failure;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.worker.WorkerBackend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntSupplier;

/** One stateless pass over the store. */
final class Tick {
    private final WorkerBackend backend;
    private final IntSupplier schedules;

    /** @param schedules fires those that are due, and answers how many jobs that made */
    Tick(WorkerBackend backend, IntSupplier schedules) {
        this.backend = backend;
        this.schedules = schedules;
    }

    TickReport run(int max) {
        new Problems().require(max >= 1 && max <= 100, "max", max, "1 to 100").throwIfAny();
        // In this order: the first look at who leads tells how long ago the last one was.
        int expired = backend.resetExpired();
        int fired = schedules.getAsInt();
        int hooks = backend.runHooks();
        WorkerBackend.Polled polled = backend.pollAndClaim(max);
        List<WorkerBackend.Executed> executed = executeAll(polled.claimed());
        return new TickReport(fired, expired, hooks, executed, polled.waiting());
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
