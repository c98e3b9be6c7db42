package dev.longhaul;

import dev.longhaul.engine.WorkerBackend;
import java.util.List;

/**
 * The result of one tick.
 *
 * @param fired jobs that it created for due schedules, because no process was the leader
 * @param expired runs that it ended because their leases had expired or their deadlines had passed
 * @param hooks ended jobs whose hooks it ran, because no worker had
 * @param executed the jobs it ran
 * @param waiting due jobs it left for the next tick
 */
public record TickReport(int fired, int expired, int hooks, List<WorkerBackend.Executed> executed, long waiting) {
    public TickReport {
        executed = List.copyOf(executed);
    }
}
