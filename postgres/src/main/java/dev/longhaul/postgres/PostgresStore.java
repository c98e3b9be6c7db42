package dev.longhaul.postgres;

import dev.longhaul.JobQuery;
import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Run;
import dev.longhaul.job.Step;
import dev.longhaul.postgres.access.PostgresAccess;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.LeaseConnection;
import dev.longhaul.postgres.database.Migrations;
import dev.longhaul.postgres.database.Partitions;
import dev.longhaul.postgres.database.Pooling;
import dev.longhaul.postgres.database.ReplicaDatabase;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.job.Commands;
import dev.longhaul.postgres.job.Inserts;
import dev.longhaul.postgres.job.PostgresCatalog;
import dev.longhaul.postgres.job.Queues;
import dev.longhaul.postgres.job.Reads;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.postgres.schedule.Fires;
import dev.longhaul.postgres.schedule.PostgresSchedules;
import dev.longhaul.postgres.stats.PostgresStats;
import dev.longhaul.postgres.upkeep.FailoverWatch;
import dev.longhaul.postgres.upkeep.Leader;
import dev.longhaul.postgres.upkeep.Retention;
import dev.longhaul.postgres.webhook.PostgresWebhooks;
import dev.longhaul.postgres.work.AroundLocks;
import dev.longhaul.postgres.work.ClaimById;
import dev.longhaul.postgres.work.Claims;
import dev.longhaul.postgres.work.Effects;
import dev.longhaul.postgres.work.Hooks;
import dev.longhaul.postgres.work.JobMoves;
import dev.longhaul.postgres.work.RunEnds;
import dev.longhaul.postgres.work.Updates;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.queue.Standing;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Retained;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.spi.Subscription;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.webhook.WebhookStore;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Expired;
import dev.longhaul.work.LeaseAnswer;
import dev.longhaul.work.Overdue;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The durable store, on PostgreSQL 14 to 18. Several of them, in any number of processes, may share one database. */
public final class PostgresStore implements JobStore, TransactionalInserts {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresStore.class);
    private static final Duration REPLICA_CHECKS = Duration.ofSeconds(10);

    private final StoreListeners listeners = new StoreListeners();
    private final Inserts inserts;
    private final Inserts callersInserts;
    private final Reads reads;
    private final Claims claims;
    private final ClaimById claimById;
    private final LeaseConnection leases;
    private final RunEnds runEnds;
    private final Updates updates;
    private final AroundLocks aroundLocks;
    private final Commands commands;
    private final Queues queues;
    private final Reads lists;
    private final Queues counts;
    private final Hooks hooks;
    private final Leader leader;
    private final Retention retention;
    private final Signals signals;
    private final PostgresCatalog catalog;
    private final PostgresAccess access;
    private final PostgresStats stats;
    private final FailoverWatch failovers;
    private final PostgresSchedules schedules;
    private final PostgresWebhooks webhooks;

    private PostgresStore(Database database, Database forLists, Signals signals) {
        this.signals = signals;
        this.lists = new Reads(forLists);
        this.counts = new Queues(forLists);
        this.reads = new Reads(database);
        Effects effects = new Effects(database);
        this.webhooks = new PostgresWebhooks(database, effects);
        this.failovers = new FailoverWatch(database, webhooks);
        this.stats = new PostgresStats(database, forLists, reads, failovers);
        Partitions partitions = new Partitions(database, reads);
        partitions.ensureAhead();
        JobMoves moves = new JobMoves();
        this.inserts = Inserts.own(database, reads);
        this.callersInserts = Inserts.forCallers(database, reads);
        this.claims = new Claims(database);
        this.claimById = new ClaimById(database, reads);
        this.leader = new Leader(database);
        this.leases = new LeaseConnection(database.connections());
        this.runEnds = new RunEnds(database, moves, partitions, signals, leader, stats, listeners);
        this.aroundLocks = new AroundLocks(database);
        this.updates = new Updates(database, runEnds, partitions);
        this.commands = new Commands(database, reads, moves, partitions, signals, listeners);
        this.queues = new Queues(database);
        this.hooks = new Hooks(database, reads, updates, partitions);
        this.retention = new Retention(database, reads, partitions, leader, effects);
        this.catalog = new PostgresCatalog(database, queues);
        this.access = new PostgresAccess(database);
        this.schedules = new PostgresSchedules(
                database, reads, signals, new Fires(database, leader, inserts, signals, webhooks, listeners));
    }

    /** Opens the store, migrating its schema if needed. The DataSource should be a pool; it stays the caller's. */
    public static PostgresStore open(DataSource dataSource) {
        return open(dataSource, true);
    }

    /**
     * Opens the store.
     *
     * @param migrate whether to bring the schema up to date; if not, one that is not is refused
     */
    public static PostgresStore open(DataSource dataSource, boolean migrate) {
        return open(dataSource, migrate, dataSource);
    }

    /**
     * Opens the store.
     *
     * @param forLists where lists of jobs and counts of queues are read, such as a replica, whose data may be a little old;
     *     while it is unavailable they are read from {@code dataSource}
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
        var signals = new Signals(database.connections(), listens);
        try {
            Database lists =
                    forLists == dataSource ? database : new ReplicaDatabase(forLists, database, REPLICA_CHECKS);
            var store = new PostgresStore(database, lists, signals);
            store.leases.open();
            store.stats.start();
            store.failovers.start();
            return store;
        } catch (RuntimeException e) {
            signals.close();
            throw e;
        }
    }

    /** Brings the schema up to date without opening a store; answers its version. */
    public static int migrate(DataSource dataSource) {
        return new Migrations(new Database(dataSource)).apply();
    }

    /** The SQL that {@link #migrate} would run, to be run by other means; empty when the schema is up to date. */
    public static String missingSql(DataSource dataSource) {
        return new Migrations(new Database(dataSource)).missing();
    }

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        return listeners.insert(() -> insertExactly(specs));
    }

    private List<Inserted> insertExactly(List<JobSpec> specs) {
        List<Inserted> inserted = inserts.insert(specs);
        failovers.acknowledged(inserted);
        work(inserted).forEach(signals::send);
        changed(inserted);
        return inserted;
    }

    @Override
    public List<Inserted> insertFresh(List<JobSpec> specs) {
        return specs.isEmpty() ? List.of() : listeners.insert(() -> insertAlike(specs));
    }

    private List<Inserted> insertAlike(List<JobSpec> specs) {
        var work = new Signal(Signal.Kind.WORK, specs.get(0).queue());
        String notification = signals.notification(work);
        Optional<List<Inserted>> alike = inserts.insertAlike(specs, notification);
        if (alike.isEmpty()) {
            return insertExactly(specs);
        }
        if (notification == null) {
            signals.send(work);
        } else {
            signals.deliver(work);
        }
        failovers.acknowledged(alike.get());
        changed(alike.get());
        return alike.get();
    }

    private void changed(List<Inserted> inserted) {
        for (Inserted one : inserted) {
            if (one.isNew()) {
                signals.changed(one.job().id());
            }
        }
    }

    private static Stream<Signal> work(List<Inserted> inserted) {
        return inserted.stream()
                .filter(one -> one.isNew() && one.job().status() == JobStatus.QUEUED)
                .map(one -> one.job().spec().queue())
                .distinct()
                .map(queue -> new Signal(Signal.Kind.WORK, queue));
    }

    @Override
    public List<Inserted> insert(Connection connection, List<JobSpec> specs) throws SQLException {
        List<Inserted> inserted = callersInserts.insert(connection, specs);
        work(inserted).forEach(signals::sendLater);
        changed(inserted);
        return inserted;
    }

    @Override
    public CommandResult execute(JobCommand command) {
        return commands.execute(command);
    }

    @Override
    public void checkWritable() {
        reads.checkWritable();
    }

    @Override
    public Instant now() {
        return reads.now();
    }

    @Override
    public Optional<Job> find(JobId id) {
        return reads.find(id);
    }

    @Override
    public Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        return reads.find(definitionKey, version, idempotencyKey);
    }

    @Override
    public JobPage list(JobQuery query) {
        return (query.fresh() ? reads : lists).list(query);
    }

    @Override
    public JobCounts count(JobQuery query) {
        return query.onlyByStatus() ? counts.all(query.statuses()) : lists.count(query);
    }

    @Override
    public Optional<Standing> standing(JobId id) {
        return reads.find(id).map(queues::standing);
    }

    @Override
    public List<Run> runs(JobId id, int after, int limit) {
        return reads.runs(id, after, limit);
    }

    @Override
    public List<Step> steps(JobId id) {
        return reads.steps(id);
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        return reads.events(query);
    }

    @Override
    public List<QueueStats> queues() {
        return counts.stats();
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return claims.dueCount(queues, definitions);
    }

    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        if (filter.lastLife()) {
            return claims.lastLifeDue(filter.queues(), filter.definitions())
                    ? Optional.of(Duration.ZERO)
                    : Optional.empty();
        }
        return claims.untilNextDue(filter.queues(), filter.definitions());
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        List<ClaimedJob> claimed = listeners.claim(request.lease(), () -> claims.claim(request));
        claimed.forEach(one -> signals.changed(one.job().id()));
        return claimed;
    }

    @Override
    public ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease) {
        ClaimedJob claimed = claimById.claim(id, key, workerId, lease);
        signals.changed(id);
        listeners.report(listener -> listener.claimed(List.of(claimed), lease));
        return claimed;
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        List<ClaimedJob> held = claims.claimed(batch);
        listeners.report(listener -> listener.claimed(held, null));
        return held;
    }

    @Override
    public List<Verdict> begin(List<Claim> held) {
        return held.isEmpty() ? List.of() : claims.begin(held);
    }

    @Override
    public List<LeaseAnswer> extend(List<Claim> held, Duration lease) {
        return held.isEmpty() ? List.of() : listeners.extend(lease, () -> extendLeases(held, lease));
    }

    private List<LeaseAnswer> extendLeases(List<Claim> held, Duration lease) {
        try {
            return leases.run(connection -> claims.extend(connection, held, lease));
        } catch (LonghaulException e) {
            if (e.getCause() instanceof SQLException cause && Database.outOfResources(cause)) {
                reportOutage();
            }
            throw e;
        }
    }

    /** Keeps leases that cannot be renewed from being ended as lapsed: the database is there, but takes not every write. */
    private void reportOutage() {
        try {
            leases.run(leader::reportOutage);
        } catch (LonghaulException e) {
            LOG.debug("could not report that leases cannot be renewed", e);
        }
    }

    @Override
    public List<Verdict> save(List<RunUpdate> reports) {
        if (reports.isEmpty()) {
            return List.of();
        }
        List<Verdict> verdicts =
                listeners.save(reports, () -> aroundLocks.write(reports, RunUpdate::claim, updates::save));
        for (int i = 0; i < verdicts.size(); i++) {
            changed(verdicts.get(i), reports.get(i).claim());
        }
        return verdicts;
    }

    @Override
    public OptionalInt lastSequence(Claim claim) {
        return reads.lastSequence(claim);
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        List<Verdict> verdicts =
                listeners.apply(transitions, () -> aroundLocks.write(transitions, Transition::claim, runEnds::apply));
        for (int i = 0; i < verdicts.size(); i++) {
            changed(verdicts.get(i), transitions.get(i).claim());
        }
        return verdicts;
    }

    private void changed(Verdict verdict, Claim claim) {
        if (verdict.won()) {
            signals.changed(claim.jobId());
        }
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        queues.pause(queue, by, note);
    }

    @Override
    public void resume(String queue) {
        queues.resume(queue);
        signals.send(new Signal(Signal.Kind.WORK, queue));
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        queues.maxDepth(queue, maxDepth);
    }

    @Override
    public void concurrencyLimit(String definitionKey, int limit) {
        queues.concurrencyLimit(definitionKey, limit);
    }

    @Override
    public void hooks(String definitionKey, boolean any) {
        hooks.register(definitionKey, any);
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return hooks.take(definitions, max, hold);
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        hooks.done(id, failures);
        if (!failures.isEmpty()) {
            signals.changed(id);
        }
    }

    @Override
    public Optional<Leadership> lead(String holder, Duration term, Duration lease) {
        Optional<Leadership> leadership = leader.lead(holder, term, lease);
        listeners.report(listener -> listener.leads(leadership.isPresent()));
        return leadership;
    }

    @Override
    public void resign(Leadership leadership) {
        listeners.report(listener -> listener.leads(false));
        leader.resign(leadership);
    }

    @Override
    public List<Expired> expireLeases(Leadership leadership, int max) {
        List<Expired> expired = runEnds.expire(leadership, max);
        expired.forEach(one -> signals.changed(one.claim().jobId()));
        listeners.report(listener -> listener.expired(expired));
        return expired;
    }

    @Override
    public List<Overdue> endOverdue(Leadership leadership, int max) {
        List<Overdue> overdue = runEnds.endOverdue(leadership, max);
        for (Overdue one : overdue) {
            signals.changed(one.claim().jobId());
            listeners.report(listener -> listener.ended(one.claim(), one.ended()));
        }
        return overdue;
    }

    @Override
    public Retained retain(Leadership leadership, Duration keep) {
        Retained retained = retention.retain(leadership, keep);
        stats.forgetOld();
        return retained;
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
    public Subscription listen(Consumer<Signal> listener) {
        return signals.listen(listener);
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
        leases.close();
    }
}
