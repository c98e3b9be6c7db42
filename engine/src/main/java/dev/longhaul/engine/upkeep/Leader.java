package dev.longhaul.engine.upkeep;

import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Upkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Becomes the leader when no other process is. Each renewal also proves that the store is reachable. The store only
 * lets the leader end runs after it was reachable for a whole lease, so that after an outage every owner has had time
 * to renew.
 */
public final class Leader implements MaintenanceTask {
    private static final Logger LOG = LoggerFactory.getLogger(Leader.class);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);

    private final Upkeep upkeep;
    private final String holder;
    private final Duration lease;
    private volatile @Nullable Leadership current;

    public Leader(Upkeep upkeep, String holder, Duration lease) {
        this.upkeep = upkeep;
        this.holder = holder;
        this.lease = lease;
    }

    /** The leadership as of the last renewal; empty when another process is the leader or the store is unavailable. */
    public Optional<Leadership> current() {
        return Optional.ofNullable(current);
    }

    @Override
    public String name() {
        return "leader";
    }

    /**
     * Returns the interval of renewals. It is well below a third of a lease, the longest gap between renewals during
     * which the store still counts as reachable.
     */
    @Override
    public Duration interval() {
        Duration sixth = lease.dividedBy(6);
        return sixth.compareTo(LONGEST_INTERVAL) < 0 ? sixth : LONGEST_INTERVAL;
    }

    @Override
    public void runOnce(Instant now) {
        Leadership before = current;
        Leadership next = null;
        try {
            next = upkeep.lead(holder, interval().multipliedBy(3), lease).orElse(null);
        } finally {
            current = next;
        }
        if (next != null && before == null) {
            LOG.info("{} is the leader now, epoch {}", holder, next.epoch());
        }
    }

    /** Resigns, so that another process can become the leader immediately. */
    void resign() {
        Leadership held = current;
        current = null;
        if (held != null) {
            upkeep.resign(held);
        }
    }
}
