package dev.longhaul.observe;

import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.spi.Store;
import dev.longhaul.stats.DatabaseLink;
import dev.longhaul.webhook.DeliveryQueue;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What the whole cluster shares, looked up in the store when somebody asks, at most every few seconds: queues, workers, and what
 * webhooks wait for. Every server tells the same.
 */
public final class StoreGauges {
    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final double MILLIS = 1000.0;

    private final Store store;
    private final QueueGauges queues;
    private final MultiGauge workers;
    private long lookedAt = System.nanoTime() - FRESH.toNanos();
    private volatile double slots;
    private volatile double running;
    private volatile double stuck;
    private volatile double pendingDeliveries;
    private volatile double parkedDeliveries;
    private volatile double deliveryLag;
    private volatile double failingWebhooks;
    private volatile double snapshotAge;
    private volatile double deadRows;
    private volatile double partitions;
    private volatile double databaseConnections;

    public StoreGauges(Store store, MeterRegistry registry) {
        this.store = store;
        this.queues = new QueueGauges(registry, Meters.MOST_NAMES);
        this.workers = MultiGauge.builder("longhaul.workers")
                .description("Workers, by state.")
                .register(registry);
        Gauge.builder("longhaul.slots", () -> slots)
                .description("Jobs that all workers together could run at once.")
                .register(registry);
        Gauge.builder("longhaul.slots.busy", () -> running)
                .description("Jobs that workers say they run.")
                .register(registry);
        Gauge.builder("longhaul.threads.stuck", () -> stuck)
                .description("Threads of workers whose code ignores its interrupt.")
                .register(registry);
        webhooks(registry);
        database(registry);
        databaseLink(registry);
    }

    private void webhooks(MeterRegistry registry) {
        Gauge.builder("longhaul.webhook.deliveries.pending", () -> pendingDeliveries)
                .description("Deliveries that are yet to be made.")
                .register(registry);
        Gauge.builder("longhaul.webhook.deliveries.parked", () -> parkedDeliveries)
                .description("Deliveries that were given up and wait for somebody.")
                .register(registry);
        Gauge.builder("longhaul.webhook.lag", () -> deliveryLag)
                .description("How long the delivery has been waiting that could have been sent first.")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("longhaul.webhooks.failing", () -> failingWebhooks)
                .description("Webhooks that something waits for and that failed too often in a row.")
                .register(registry);
    }

    /** What only this process knows; read from memory, so that it is there while the database is not. */
    private void databaseLink(MeterRegistry registry) {
        Gauge.builder("longhaul.database.timeline", () -> link(DatabaseLink::timeline))
                .description("PostgreSQL's timeline; it rises with every promotion of a standby. 0: unknown.")
                .register(registry);
        FunctionCounter.builder("longhaul.failovers", this, own -> own.link(DatabaseLink::failovers))
                .description("Changes of the database's timeline that this process has seen.")
                .register(registry);
        FunctionCounter.builder("longhaul.lost.acknowledged.jobs", this, own -> own.link(DatabaseLink::lostJobs))
                .description("Jobs that this process had acknowledged and that were gone after a failover.")
                .register(registry);
        Gauge.builder("longhaul.database.replica.up", () -> link(one -> one.replicaUp() ? 1 : 0))
                .description("1 while lists and counts are read from the read replica, or there is none.")
                .register(registry);
        FunctionCounter.builder(
                        "longhaul.database.replica.fallbacks", this, own -> own.link(DatabaseLink::replicaFallbacks))
                .description("Reads that the primary served because the read replica failed.")
                .register(registry);
    }

    private double link(ToDoubleFunction<DatabaseLink> value) {
        return value.applyAsDouble(store.stats().databaseLink().orElse(DatabaseLink.NONE));
    }

    private void database(MeterRegistry registry) {
        Gauge.builder("longhaul.database.snapshot.age", () -> snapshotAge)
                .description("How long somebody has kept dead rows from being cleaned up.")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("longhaul.database.dead.rows", () -> deadRows)
                .description("Dead rows among the live jobs.")
                .register(registry);
        Gauge.builder("longhaul.database.partitions", () -> partitions)
                .description("Days that finished jobs are kept of.")
                .register(registry);
        Gauge.builder("longhaul.database.connections", () -> databaseConnections)
                .description("Connections to the database, from everywhere.")
                .register(registry);
    }

    /** Looks again unless that was done just now. */
    public synchronized void refresh() {
        if (System.nanoTime() - lookedAt < FRESH.toNanos()) {
            return;
        }
        Instant now = store.now();
        queues.show(store.queues().all());
        workers(store.catalog().workers());
        DeliveryQueue.Backlog backlog = store.deliveries().backlog();
        Instant due = backlog.oldestDueSince();
        pendingDeliveries = backlog.pending();
        parkedDeliveries = backlog.parked();
        failingWebhooks = backlog.failing();
        deliveryLag = due == null ? 0 : seconds(Duration.between(due, now));
        store.stats().database().ifPresent(health -> {
            snapshotAge = seconds(health.oldestSnapshot());
            deadRows = health.deadRows();
            partitions = health.partitions();
            databaseConnections = health.connections();
        });
        lookedAt = System.nanoTime();
    }

    private void workers(List<KnownWorker> known) {
        var states = new ArrayList<MultiGauge.Row<?>>();
        for (KnownWorker.State state : KnownWorker.State.values()) {
            long count = known.stream().filter(one -> one.state() == state).count();
            states.add(MultiGauge.Row.of(Tags.of("state", state.name().toLowerCase(Locale.ROOT)), count));
        }
        workers.register(states, true);
        slots = known.stream()
                .filter(StoreGauges::lives)
                .mapToInt(one -> one.report().slots())
                .sum();
        running = known.stream()
                .filter(StoreGauges::lives)
                .mapToInt(one -> one.report().running())
                .sum();
        stuck = known.stream()
                .filter(StoreGauges::lives)
                .mapToInt(one -> one.report().stuck())
                .sum();
    }

    private static boolean lives(KnownWorker worker) {
        return worker.state() == KnownWorker.State.ACTIVE || worker.state() == KnownWorker.State.DRAINING;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / MILLIS;
    }
}
