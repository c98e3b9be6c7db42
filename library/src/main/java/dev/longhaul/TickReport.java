package dev.longhaul;

import dev.longhaul.engine.WorkerBackend;
import java.util.List;

/**
 * The result of one tick.
 *
 * @param fired number of jobs created for due schedules, because no other process was the leader
 * @param expired number of runs ended because their leases had expired or their deadlines had passed
 * @param hooks number of ended jobs whose hooks the tick ran, because no worker had run them
 * @param executed the jobs that the tick ran
 * @param waiting number of due jobs left for the next tick
 */
public record TickReport(int fired, int expired, int hooks, List<WorkerBackend.Executed> executed, long waiting) {
    public TickReport {
        executed = List.copyOf(executed);
    }
}
