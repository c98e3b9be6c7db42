package dev.longhaul.intake;

import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.spi.ClaimById;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.Upkeep;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.WebhookStore;
import java.time.Instant;
import java.util.Optional;

/**
 * A store that accepts new jobs, cancels and edits while the store behind it is unavailable: it appends them to an
 * {@link Intake}. Callers log in with keys that were known before. Everything else is the store's. While records of a job's partition are not stored yet, cancels and
 * edits of the job are appended too, so that they are executed in order. Other writes fail with {@code unavailable}.
 */
public final class IntakeStore implements Store {
    private final Store store;
    private final Intake intake;
    private final IntakeMode when;
    private final Backlog backlog;
    private final IntakeJobs jobs;
    private final LastKnownAccess access;
    private final Catalog catalog;

    /**
     * @param store a store with the capability {@link IntakeProgress}; closed with this store, as is the intake
     */
    public IntakeStore(Store store, Intake intake, IntakeMode when) {
        IntakeProgress progress = store.capability(IntakeProgress.class)
                .orElseThrow(() -> new IllegalArgumentException("store: " + store + " (expected: one with an intake)"));
        this.store = store;
        this.intake = intake;
        this.when = when;
        this.backlog = new Backlog(intake, progress);
        // Shared, so that a request waits for an unavailable store once: for its key, its definition or its job.
        var outage =
                new Outage("new jobs go to the intake, and keys from the last hour are accepted", System::nanoTime);
        this.jobs = new IntakeJobs(store.jobs(), progress, intake, when, backlog, outage);
        this.access = new LastKnownAccess(store.access(), System::nanoTime, outage);
        this.catalog = new OutageCatalog(store.catalog(), outage);
    }

    @Override
    public JobStore jobs() {
        return jobs;
    }

    /** Supports {@link Deferrals} in addition to the capabilities of the store. */
    @Override
    public <C> Optional<C> capability(Class<C> type) {
        if (type == Deferrals.class) {
            return Optional.of(type.cast(backlog));
        }
        if (type == FreshInserts.class) {
            return store.capability(FreshInserts.class).map(fresh -> {
                // In mode slow, a job may be stored by the writer, and finish, before its direct insert is executed:
                // then
                // that insert has to find it.
                FreshInserts deferring =
                        when == IntakeMode.SLOW ? jobs::insert : specs -> jobs.insert(specs, fresh::insertFresh);
                return type.cast(deferring);
            });
        }
        return store.capability(type);
    }

    @Override
    public WorkSource work() {
        return store.work();
    }

    @Override
    public ClaimById claimById() {
        return store.claimById();
    }

    @Override
    public QueueStore queues() {
        return store.queues();
    }

    @Override
    public Upkeep upkeep() {
        return store.upkeep();
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public ScheduleStore schedules() {
        return store.schedules();
    }

    @Override
    public ScheduleFires scheduleFires() {
        return store.scheduleFires();
    }

    @Override
    public AccessStore access() {
        return access;
    }

    @Override
    public StatsStore stats() {
        return store.stats();
    }

    @Override
    public WebhookStore webhooks() {
        return store.webhooks();
    }

    @Override
    public DeliveryQueue deliveries() {
        return store.deliveries();
    }

    @Override
    public Instant now() {
        return store.now();
    }

    /** While the store is unavailable, checks the intake instead, so that load balancers continue to send requests. */
    @Override
    public void checkWritable() {
        try {
            store.checkWritable();
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            intake.ends();
        }
    }

    @Override
    public Subscription observe(StoreListener listener) {
        return store.observe(listener);
    }

    @Override
    public void close() {
        new Closing().part(jobs::close).part(intake::close).part(store::close).throwIfAny();
    }
}
