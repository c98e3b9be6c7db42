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
 * Gauges of the whole cluster: queues, workers, pending webhook deliveries, database. {@link #refresh} reads them from the store, at most
 * every few seconds. Every server reports the same values; aggregate with max.
 */
public final class StoreGauges {
    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final double MILLIS = 1000.0;

    private final Store store;
    private final QueueGauges queues;
    private final MultiGauge workers;
    private long refreshedAt = System.nanoTime() - FRESH.toNanos();
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
                .description("Jobs that all workers together can run at the same time.")
                .register(registry);
        Gauge.builder("longhaul.slots.busy", () -> running)
                .description("Slots in use, as reported by workers.")
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
                .description("Pending webhook deliveries.")
                .register(registry);
        Gauge.builder("longhaul.webhook.deliveries.parked", () -> parkedDeliveries)
                .description("Webhook deliveries given up; an operator can redeliver them.")
                .register(registry);
        Gauge.builder("longhaul.webhook.lag", () -> deliveryLag)
                .description("How long the oldest delivery that could be sent now has been waiting.")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("longhaul.webhooks.failing", () -> failingWebhooks)
                .description("Webhooks with pending deliveries whose last attempts all failed.")
                .register(registry);
    }

    /**
     * Registers values of this process. They are read from memory, so they are available even if the database is not.
     */
    private void databaseLink(MeterRegistry registry) {
        Gauge.builder("longhaul.database.timeline", () -> link(DatabaseLink::timeline))
                .description("PostgreSQL's timeline; increases with every promotion of a standby. 0: unknown.")
                .register(registry);
        FunctionCounter.builder("longhaul.failovers", this, own -> own.link(DatabaseLink::failovers))
                .description("Changes of the database's timeline seen by this process.")
                .register(registry);
        FunctionCounter.builder("longhaul.lost.acknowledged.jobs", this, own -> own.link(DatabaseLink::lostJobs))
                .description("Jobs acknowledged by this process that were missing after a failover.")
                .register(registry);
        Gauge.builder("longhaul.database.replica.up", () -> link(one -> one.replicaUp() ? 1 : 0))
                .description("1 while lists and counts are read from the read replica, or none is configured.")
                .register(registry);
        FunctionCounter.builder(
                        "longhaul.database.replica.fallbacks", this, own -> own.link(DatabaseLink::replicaFallbacks))
                .description("Reads served by the primary because the read replica failed.")
                .register(registry);
    }

    private double link(ToDoubleFunction<DatabaseLink> value) {
        return value.applyAsDouble(store.stats().databaseLink().orElse(DatabaseLink.NONE));
    }

    private void database(MeterRegistry registry) {
        Gauge.builder("longhaul.database.snapshot.age", () -> snapshotAge)
                .description(
                        "How long a session, prepared transaction or replication slot has prevented the removal of dead rows.")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("longhaul.database.dead.rows", () -> deadRows)
                .description("Dead rows in the table of live jobs.")
                .register(registry);
        Gauge.builder("longhaul.database.partitions", () -> partitions)
                .description("Daily partitions of finished jobs.")
                .register(registry);
        Gauge.builder("longhaul.database.connections", () -> databaseConnections)
                .description("Connections to the database from all clients.")
                .register(registry);
    }

    /** Reads the values from the store, unless the last read was less than 5 s ago. */
    public synchronized void refresh() {
        if (System.nanoTime() - refreshedAt < FRESH.toNanos()) {
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
        refreshedAt = System.nanoTime();
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
