package dev.longhaul;

import dev.longhaul.engine.WorkerBackend;
import java.util.List;

/**
 * What one tick did.
 *
 * @param fired jobs that it made of schedules that were due, because nobody leads
 * @param expired runs it ended because their workers had died
 * @param hooks ended jobs whose hooks it ran, because nobody else had
 * @param executed the jobs it ran
 * @param waiting due jobs it left for the next tick
 */
public record TickReport(int fired, int expired, int hooks, List<WorkerBackend.Executed> executed, long waiting) {
    public TickReport {
        executed = List.copyOf(executed);
    }
}
