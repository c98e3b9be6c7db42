package dev.longhaul.engine.upkeep;

import dev.longhaul.spi.Upkeep;
import dev.longhaul.work.Overdue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Ends runs of remote workers that exceed their timeout or the grace period of a cancel request. Such a worker may be
 * written in any language and may renew its lease for ever. Deadlines are computed from stored data, so that any leader
 * can enforce them.
 */
final class DeadlineReaper implements MaintenanceTask {
    private static final Logger LOG = LoggerFactory.getLogger(DeadlineReaper.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int BATCH = 500;

    private final Upkeep upkeep;
    private final Leader leader;

    DeadlineReaper(Upkeep upkeep, Leader leader) {
        this.upkeep = upkeep;
        this.leader = leader;
    }

    @Override
    public String name() {
        return "deadline-reaper";
    }

    @Override
    public Duration interval() {
        return INTERVAL;
    }

    @Override
    public void runOnce(Instant now) {
        leader.current().ifPresent(leadership -> {
            List<Overdue> overdue;
            do {
                overdue = upkeep.endOverdue(leadership, BATCH);
                overdue.forEach(DeadlineReaper::log);
            } while (overdue.size() == BATCH);
        });
    }

    private static void log(Overdue run) {
        MDC.put("jobId", run.claim().jobId().toString());
        try {
            LOG.warn(
                    "job {}: worker {} did not end the run by its deadline; the job is {} now",
                    run.claim(),
                    run.workerId(),
                    run.ended().end().state().wireName());
        } finally {
            MDC.remove("jobId");
        }
    }
}
