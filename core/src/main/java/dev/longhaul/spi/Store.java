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
 * Where jobs live: a port for each kind of caller. What a method of a port has returned is committed. Writes about a running job
 * carry its {@link Claim} and return whether they took effect: losing is a value, not an exception. Due times and leases are judged by
 * the store's own clock.
 *
 * <p>A store that is unavailable throws {@link dev.longhaul.error.LonghaulException} with code {@code unavailable}. Then it may be
 * unknown whether the call took effect; calling it again with the same arguments is safe. For a {@link JobCommand}, the second call
 * may then report that the job has already left the state that the command needs.
 */
public interface Store extends AutoCloseable {
    /** For workers. */
    WorkSource work();

    /** For callers that run a job themselves. */
    ClaimById claimById();

    /** The record of jobs. */
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

    /** How the cluster has been doing. */
    StatsStore stats();

    /** Webhooks and their deliveries, for people and code. */
    WebhookStore webhooks();

    /** Due deliveries, for the sender. */
    DeliveryQueue deliveries();

    /** The store's clock. */
    Instant now();

    /** Fails as {@code unavailable} if the store cannot be reached, or is known to refuse writes; writes nothing itself. */
    default void checkWritable() {}

    /**
     * What this store offers beyond its ports; empty when it does not. A store that wraps another one passes the question on.
     *
     * @param type a small interface that only some stores implement
     */
    default <C> Optional<C> capability(Class<C> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    /** Reports to {@code listener} what this store does in this process, until the subscription is closed. */
    Subscription observe(StoreListener listener);

    @Override
    void close();
}
