package dev.longhaul.engine.upkeep;

import dev.longhaul.spi.Upkeep;
import dev.longhaul.work.Expired;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Ends the runs of workers that stopped renewing their leases, so that other workers can claim the jobs. */
final class LeaseReaper implements MaintenanceTask {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseReaper.class);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(2);
    private static final int BATCH = 500;

    private final Upkeep upkeep;
    private final Leader leader;
    private final Duration lease;

    LeaseReaper(Upkeep upkeep, Leader leader, Duration lease) {
        this.upkeep = upkeep;
        this.leader = leader;
        this.lease = lease;
    }

    @Override
    public String name() {
        return "lease-reaper";
    }

    @Override
    public Duration interval() {
        Duration third = lease.dividedBy(3);
        return third.compareTo(LONGEST_INTERVAL) < 0 ? third : LONGEST_INTERVAL;
    }

    @Override
    public void runOnce(Instant now) {
        leader.current().ifPresent(leadership -> {
            List<Expired> expired;
            do {
                expired = upkeep.expireLeases(leadership, BATCH);
                expired.forEach(LeaseReaper::log);
            } while (expired.size() == BATCH);
        });
    }

    private static void log(Expired run) {
        MDC.put("jobId", run.claim().jobId().toString());
        try {
            LOG.warn(
                    "job {}: worker {} did not renew its lease; the job is {} now",
                    run.claim(),
                    run.workerId(),
                    run.state().wireName());
        } finally {
            MDC.remove("jobId");
        }
    }
}
