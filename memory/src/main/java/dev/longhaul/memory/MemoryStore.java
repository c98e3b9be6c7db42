package dev.longhaul.memory;

import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.intake.IntakeProgress;
import dev.longhaul.internal.store.StoreDirectory;
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
import java.time.InstantSource;
import java.util.Optional;

/** Keeps jobs in this process, for tests and demos. */
public class MemoryStore implements Store {
    private final StoreLock lock;
    private final MemoryWork work;
    private final MemoryJobs jobs;
    private final MemoryQueues queues;
    private final MemoryUpkeep upkeep;
    private final MemoryCatalog catalog;
    private final MemoryAccess access;
    private final MemoryStats stats;
    private final MemorySchedules schedules;
    private final MemoryWebhooks webhooks;
    private final MemoryIntakeProgress intakeProgress;

    public MemoryStore() {
        this(InstantSource.system());
    }

    public MemoryStore(InstantSource clock) {
        this.lock = new StoreLock(clock);
        var index = new JobIndex();
        var settings = new Settings();
        var leader = new Leader();
        var hooks = new DueHooks();
        this.webhooks = new MemoryWebhooks(lock);
        this.stats = new MemoryStats(lock, index);
        var inserts = new Inserts(index, settings, webhooks, lock);
        var commands = new Commands(index, hooks, webhooks, stats, lock);
        this.catalog = new MemoryCatalog(
                lock,
                settings,
                hooks,
                ref -> index.all().stream()
                        .anyMatch(job -> !job.state().terminal()
                                && job.spec().definition().equals(ref)));
        this.access = new MemoryAccess(lock);
        this.schedules = new MemorySchedules(lock, index, inserts, leader, webhooks);
        this.queues = new MemoryQueues(settings, index, lock);
        this.jobs = new MemoryJobs(index, inserts, commands, lock);
        this.work = new MemoryWork(index, settings, hooks, commands, new StoreDirectory(catalog), lock);
        this.intakeProgress = new MemoryIntakeProgress(index, inserts, lock);
        this.upkeep = new MemoryUpkeep(index, leader, hooks, commands, schedules, webhooks, lock);
    }

    @Override
    public WorkSource work() {
        return work;
    }

    @Override
    public ClaimById claimById() {
        return work;
    }

    @Override
    public JobStore jobs() {
        return jobs;
    }

    @Override
    public QueueStore queues() {
        return queues;
    }

    @Override
    public Upkeep upkeep() {
        return upkeep;
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public ScheduleStore schedules() {
        return schedules;
    }

    @Override
    public ScheduleFires scheduleFires() {
        return schedules;
    }

    @Override
    public AccessStore access() {
        return access;
    }

    @Override
    public StatsStore stats() {
        return stats;
    }

    @Override
    public WebhookStore webhooks() {
        return webhooks;
    }

    @Override
    public DeliveryQueue deliveries() {
        return webhooks;
    }

    @Override
    public Instant now() {
        return lock.now();
    }

    /** Supports {@link IntakeProgress}. */
    @Override
    public <C> Optional<C> capability(Class<C> type) {
        return type == IntakeProgress.class ? Optional.of(type.cast(intakeProgress)) : Store.super.capability(type);
    }

    @Override
    public Subscription observe(StoreListener listener) {
        return lock.storeListeners().add(listener);
    }

    @Override
    public void close() {
        lock.close();
    }
}
