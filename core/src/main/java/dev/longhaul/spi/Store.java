package dev.longhaul.spi;

import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.job.Claim;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.WebhookStore;
import java.time.Instant;
import java.util.Optional;

/**
 * Stores jobs, with a separate port for each kind of caller. When a method of a port returns, its changes are
 * committed. Writes about a running job carry its {@link Claim} and return whether they took effect: a lost claim is a
 * return value, not an exception. The store's own clock decides about due times and leases.
 *
 * <p>A store that is unavailable throws {@link dev.longhaul.error.LonghaulException} with code {@code unavailable}.
 * Then it may be unknown whether the call took effect; calling it again with the same arguments is safe. For a
 * {@link JobCommand}, the second call may then report that the job has already left the state that the command needs.
 */
public interface Store extends AutoCloseable {
    /** The port for workers. */
    WorkSource work();

    /** The port for callers that run a job themselves. */
    ClaimById claimById();

    /** The port for reading and changing jobs. */
    JobStore jobs();

    QueueStore queues();

    /** The port for the leader. */
    Upkeep upkeep();

    /** The definitions and workers of the cluster. */
    Catalog catalog();

    /** The port for people and code that manage schedules. */
    ScheduleStore schedules();

    /** The port for the leader, which fires schedules. */
    ScheduleFires scheduleFires();

    /** Keys, sessions and the audit trail. */
    AccessStore access();

    /** Statistics of the cluster. */
    StatsStore stats();

    /** The port for people and code that manage webhooks and their deliveries. */
    WebhookStore webhooks();

    /** The port for the sender of due deliveries. */
    DeliveryQueue deliveries();

    /** The store's clock. */
    Instant now();

    /**
     * Throws {@code unavailable} if the store cannot be reached, or is known to reject writes; writes nothing itself.
     */
    default void checkWritable() {}

    /**
     * Returns an optional feature of this store; empty when the store lacks it. A store that wraps another one
     * delegates to it.
     *
     * @param type a small interface that only some stores implement
     */
    default <C> Optional<C> capability(Class<C> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    /** Notifies {@code listener} of this store's operations in this process, until the subscription is closed. */
    Subscription observe(StoreListener listener);

    @Override
    void close();
}
