package dev.longhaul;

import dev.longhaul.engine.Worker;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.upkeep.Scheduler;
import dev.longhaul.internal.loop.Closing;
import org.jspecify.annotations.Nullable;

/**
 * Runs the jobs of a Longhaul from its start until it is stopped.
 *
 * @param worker null when it claims no jobs itself
 * @param scheduler null when it never becomes the leader
 */
record Engine(
        WorkerBackend backend,
        @Nullable Worker worker,
        @Nullable Scheduler scheduler) {
    /** Starts the maintenance tasks, then claims jobs. The backend has been initialized. */
    void start() {
        if (scheduler != null) {
            scheduler.start();
        }
        if (worker != null) {
            backend.prepare();
            worker.start();
        }
    }

    void stopClaiming() {
        if (worker != null) {
            worker.stopClaiming();
        }
    }

    /** Stops claiming, drains, and stops; stopping twice has no effect. */
    void stop(Closing closing) {
        if (worker != null) {
            closing.part(worker::close);
        }
        closing.part(backend::close);
        if (scheduler != null) {
            closing.part(scheduler::close);
        }
    }
}
