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
 * Stores jobs: a port for each kind of caller. What a method of a port has returned is committed. Writes about a
 * running job carry its {@link Claim} and return whether they took effect: losing is a value, not an exception. The
 * store's own clock decides about due times and leases.
 *
 * <p>A store that is unavailable throws {@link dev.longhaul.error.LonghaulException} with code {@code unavailable}.
 * Then it may be unknown whether the call took effect; calling it again with the same arguments is safe. For a
 * {@link JobCommand}, the second call may then report that the job has already left the state that the command needs.
 */
public interface Store extends AutoCloseable {
    /** For workers. */
    WorkSource work();

    /** For callers that run a job themselves. */
    ClaimById claimById();

    /** The stored jobs. */
    JobStore jobs();

    QueueStore queues();

    /** For the leader. */
    Upkeep upkeep();

    /** The definitions and workers of the cluster. */
    Catalog catalog();

    /** Schedules, for people and code. */
    ScheduleStore schedules();

    /** Schedules, for the leader. */
    ScheduleFires scheduleFires();

    /** Keys, sessions and the audit trail. */
    AccessStore access();

    /** Statistics of the cluster. */
    StatsStore stats();

    /** Webhooks and their deliveries, for people and code. */
    WebhookStore webhooks();

    /** Due deliveries, for the sender. */
    DeliveryQueue deliveries();

    /** The store's clock. */
    Instant now();

    /**
     * Throws {@code unavailable} if the store cannot be reached, or is known to reject writes; writes nothing itself.
     */
    default void checkWritable() {}

    /**
     * An optional feature of this store; empty when the store lacks it. A store that wraps another one delegates to
     * it.
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
