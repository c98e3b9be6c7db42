package dev.longhaul.engine.upkeep;

import dev.longhaul.spi.Upkeep;
import dev.longhaul.spi.Upkeep.Retained;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes jobs that finished long ago. */
final class Retention implements MaintenanceTask {
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    private static final Duration LONGEST_INTERVAL = Duration.ofMinutes(10);
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(10);

    private final Upkeep upkeep;
    private final Leader leader;
    private final Duration keep;

    Retention(Upkeep upkeep, Leader leader, Duration keep) {
        this.upkeep = upkeep;
        this.leader = leader;
        this.keep = keep;
    }

    @Override
    public String name() {
        return "retention";
    }

    @Override
    public Duration interval() {
        if (keep.compareTo(SHORTEST_INTERVAL) < 0) {
            return SHORTEST_INTERVAL;
        }
        return keep.compareTo(LONGEST_INTERVAL) < 0 ? keep : LONGEST_INTERVAL;
    }

    @Override
    public boolean vital() {
        return false;
    }

    @Override
    public void runOnce(Instant now) {
        leader.current().ifPresent(leadership -> {
            Retained removed = upkeep.retain(leadership, keep);
            if (removed.jobs() > 0 || removed.partitionsDropped() > 0) {
                LOG.info("removed {} old jobs and {} partitions", removed.jobs(), removed.partitionsDropped());
            }
        });
    }
}
