package dev.longhaul.postgres;

import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.intake.IntakeProgress;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.internal.store.StoreDirectory;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.postgres.access.PostgresAccess;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.Migrations;
import dev.longhaul.postgres.database.Partitions;
import dev.longhaul.postgres.database.Pooling;
import dev.longhaul.postgres.database.ReplicaDatabase;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.intake.PostgresIntakeProgress;
import dev.longhaul.postgres.job.Inserts;
import dev.longhaul.postgres.job.PostgresCatalog;
import dev.longhaul.postgres.job.PostgresJobs;
import dev.longhaul.postgres.job.PostgresQueues;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.postgres.schedule.PostgresScheduleFires;
import dev.longhaul.postgres.schedule.PostgresSchedules;
import dev.longhaul.postgres.stats.PostgresStats;
import dev.longhaul.postgres.upkeep.AbandonedRuns;
import dev.longhaul.postgres.upkeep.FailoverWatch;
import dev.longhaul.postgres.upkeep.Leader;
import dev.longhaul.postgres.upkeep.PostgresUpkeep;
import dev.longhaul.postgres.upkeep.Retention;
import dev.longhaul.postgres.webhook.Effects;
import dev.longhaul.postgres.webhook.PostgresDeliveries;
import dev.longhaul.postgres.webhook.PostgresWebhooks;
import dev.longhaul.postgres.work.ClaimOne;
import dev.longhaul.postgres.work.Hooks;
import dev.longhaul.postgres.work.JobMoves;
import dev.longhaul.postgres.work.Lanes;
import dev.longhaul.postgres.work.PostgresWork;
import dev.longhaul.postgres.work.RunEnds;
import dev.longhaul.spi.ClaimById;
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
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The durable store, on PostgreSQL 14 to 18. Any number of stores, in any number of processes, may share one database.
 */
public final class PostgresStore implements Store {
    private static final Duration REPLICA_CHECKS = Duration.ofSeconds(10);

    private final StoreListeners listeners = new StoreListeners();
    private final Signals signals;
    private final Partitions partitions;
    private final FailoverWatch failovers;
    private final Database database;
    private final PostgresWork work;
    private final ClaimOne claimOne;
    private final PostgresJobs jobs;
    private final Inserts inserts;
    private final PostgresQueues queues;
    private final PostgresUpkeep upkeep;
    private final PostgresCatalog catalog;
    private final PostgresAccess access;
    private final PostgresStats stats;
    private final PostgresSchedules schedules;
    private final PostgresScheduleFires scheduleFires;
    private final PostgresWebhooks webhooks;
    private final PostgresDeliveries deliveries;
    private final PostgresIntakeProgress intakeProgress;

    private PostgresStore(Database database, Database forLists, Signals signals) {
        this.database = database;
        this.signals = signals;
        this.partitions = new Partitions(database);
        var base = new StoreBase(database, signals, listeners);
        var effects = new Effects(database);
        this.webhooks = new PostgresWebhooks(database, effects);
        this.deliveries = new PostgresDeliveries(database, effects);
        this.failovers = new FailoverWatch(database, webhooks);
        var moves = new JobMoves();
        this.inserts = new Inserts(base, failovers);
        this.intakeProgress = new PostgresIntakeProgress(database, inserts);
        this.queues = new PostgresQueues(database, forLists, new Lanes(database), signals);
        this.jobs = new PostgresJobs(base, forLists, queues, inserts, moves);
        this.stats = new PostgresStats(database, forLists, failovers);
        var leader = new Leader(database);
        var runEnds = new RunEnds(base, moves, stats);
        var hooks = new Hooks(database, jobs, signals);
        this.catalog = new PostgresCatalog(database, queues, hooks);
        this.work = new PostgresWork(base, jobs, runEnds, hooks, new StoreDirectory(catalog));
        this.claimOne = new ClaimOne(base, jobs);
        var retention = new Retention(database, partitions, leader, effects);
        var abandoned = new AbandonedRuns(database, moves, runEnds, leader);
        this.upkeep = new PostgresUpkeep(base, leader, abandoned, retention, stats);
        this.access = new PostgresAccess(database);
        this.scheduleFires = new PostgresScheduleFires(base, inserts, webhooks);
        this.schedules = new PostgresSchedules(database, jobs, signals, scheduleFires);
    }

    /** Opens the store and migrates its schema if needed. The DataSource should be a pool; the caller closes it. */
    public static PostgresStore open(DataSource dataSource) {
        return open(dataSource, true);
    }

    /**
     * Opens the store.
     *
     * @param migrate whether to migrate an outdated schema; if false, an outdated schema is rejected
     */
    public static PostgresStore open(DataSource dataSource, boolean migrate) {
        return open(dataSource, migrate, dataSource);
    }

    /**
     * Opens the store.
     *
     * @param forLists data source for lists of jobs and counts of queues, such as a replica, whose data may be slightly
     *     old; while it is unavailable, {@code dataSource} is used
     */
    public static PostgresStore open(DataSource dataSource, boolean migrate, DataSource forLists) {
        var database = new Database(dataSource);
        boolean listens = Pooling.check(database) != Pooling.TRANSACTION;
        var migrations = new Migrations(database);
        if (migrate) {
            migrations.apply();
        } else {
            migrations.check();
        }
        Database lists = forLists == dataSource ? database : new ReplicaDatabase(forLists, database, REPLICA_CHECKS);
        var store = new PostgresStore(database, lists, new Signals(database.connections(), listens));
        try {
            store.start();
            return store;
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    private void start() {
        database.repairWith(partitions::createMissing);
        partitions.ensureAhead();
        database.reserve();
        stats.start();
        failovers.start();
    }

    /** Migrates the schema without opening a store; returns the schema version. */
    public static int migrate(DataSource dataSource) {
        return new Migrations(new Database(dataSource)).apply();
    }

    /** The SQL that {@link #migrate} would run, for use with other tools; empty when the schema is up to date. */
    public static String missingSql(DataSource dataSource) {
        return new Migrations(new Database(dataSource)).missing();
    }

    @Override
    public WorkSource work() {
        return work;
    }

    @Override
    public ClaimById claimById() {
        return claimOne;
    }

    @Override
    public PostgresJobs jobs() {
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
        return scheduleFires;
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
        return deliveries;
    }

    @Override
    public Instant now() {
        return database.now();
    }

    @Override
    public void checkWritable() {
        jobs.checkWritable();
    }

    /** Supports {@link TransactionalInserts}, {@link FreshInserts} and {@link IntakeProgress}. */
    @Override
    public <C> Optional<C> capability(Class<C> type) {
        return Stream.of(inserts, intakeProgress)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    @Override
    public Subscription observe(StoreListener listener) {
        return listeners.add(listener);
    }

    /** Stops the store's own threads and connections; the DataSource stays open. */
    @Override
    public void close() {
        failovers.close();
        stats.close();
        signals.close();
        database.closeReserved();
    }
}
