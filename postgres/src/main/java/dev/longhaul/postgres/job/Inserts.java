package dev.longhaul.postgres.job;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.ClockEstimate;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.upkeep.FailoverWatch;
import dev.longhaul.postgres.webhook.JobWebhooks;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stores new jobs, signals workers, and notifies listeners. New plain jobs of one definition take one short statement.
 * Other specs without idempotency keys and webhooks take the quick path, one statement in auto-commit mode. Keys,
 * webhooks, bounded queues and existing ids take the careful path, a transaction that reads first.
 */
public final class Inserts implements FreshInserts, TransactionalInserts {
    private static final String OFF_CLOCK = "22023";
    private static final Duration SURELY_ON_CLOCK = Limits.CLOCK_SKEW.dividedBy(2);

    private final NamedSql insertAlike = NamedSql.load("job/insert_alike");
    private final NamedSql lockBoundedQueues = NamedSql.load("job/lock_bounded_queues");
    private final Statements own = Statements.planned(UnaryOperator.identity(), Limits.CLOCK_SKEW);
    private final Statements ofIntake = Statements.planned(UnaryOperator.identity(), Limits.OLDEST_DEFERRED);
    private final Statements callers = Statements.planned(NamedSql::bare, Limits.CLOCK_SKEW);
    private final JobWebhooks webhooks = new JobWebhooks();
    private final Database database;
    private final ClockEstimate clock;
    private final FailoverWatch failovers;
    private final Signals signals;
    private final StoreListeners listeners;

    /**
     * The statements for the store's own transactions, or for a caller's transaction, whose settings must not be
     * changed.
     *
     * @param oldest how old new ids may be
     */
    private record Statements(
            NamedSql insert, NamedSql find, IdempotencyKeys keys, NamedSql queueDepth, Duration oldest) {
        static Statements planned(UnaryOperator<NamedSql> planning, Duration oldest) {
            return new Statements(
                    planning.apply(NamedSql.load("job/insert")),
                    planning.apply(NamedSql.load("job/find")),
                    new IdempotencyKeys(planning),
                    planning.apply(NamedSql.load("job/queue_depth")),
                    oldest);
        }
    }

    public Inserts(StoreBase base, FailoverWatch failovers) {
        this.database = base.database();
        this.signals = base.signals();
        this.listeners = base.listeners();
        this.clock = new ClockEstimate(database);
        this.failovers = failovers;
    }

    @Override
    public List<Inserted> insertFresh(List<JobSpec> specs) {
        return specs.isEmpty() ? List.of() : listeners.insert(() -> insertAlike(specs));
    }

    /**
     * Stores jobs that were never sent before. Plain jobs of one definition take one short statement that includes the
     * signal; all others take the general path.
     */
    private List<Inserted> insertAlike(List<JobSpec> specs) {
        var work = new Signal(Signal.Kind.WORK, specs.get(0).queue());
        String notification = signals.notification(work);
        Optional<List<Inserted>> stored = !alike(specs)
                ? Optional.empty()
                : database.single((connection, again) ->
                        // After a broken connection the jobs may have been stored, or even have finished; the general
                        // path checks that.
                        again ? Optional.empty() : storeAlike(connection, specs, notification));
        if (stored.isEmpty()) {
            return insertExactly(specs, own);
        }
        if (notification == null) {
            signals.send(work);
        } else {
            signals.deliver(work);
        }
        failovers.acknowledged(stored.get());
        changed(stored.get());
        return stored.get();
    }

    private boolean alike(List<JobSpec> specs) {
        JobSpec first = specs.get(0);
        Instant now = clock.estimate();
        for (JobSpec spec : specs) {
            boolean plain = spec.idempotencyKey() == null
                    && spec.runTime().equals(RunAt.now())
                    && !spec.hold()
                    && spec.name() == null
                    && spec.correlationId() == null
                    && spec.labels().isEmpty()
                    && spec.schedule() == null
                    && spec.traceparent() == null
                    && spec.webhook() == null;
            boolean same = spec.definition().equals(first.definition())
                    && spec.queue().equals(first.queue())
                    && spec.priority() == first.priority()
                    && spec.maxAttempts() == first.maxAttempts()
                    && spec.timeout().equals(first.timeout())
                    && Objects.equals(spec.createdBy(), first.createdBy())
                    && Objects.equals(spec.secrets(), first.secrets());
            boolean onClock = Duration.between(spec.id().madeAt(), now).abs().compareTo(SURELY_ON_CLOCK) < 0;
            if (!plain || !same || !onClock) {
                return false;
            }
        }
        return true;
    }

    private Optional<List<Inserted>> storeAlike(
            Connection connection, List<JobSpec> specs, @Nullable String notification) throws SQLException {
        JobSpec first = specs.get(0);
        try (Call call = insertAlike.on(connection)) {
            List<Instant> stored = call.uuids(
                            "ids", column(specs, spec -> spec.id().value()))
                    .texts("params", column(specs, JobSpec::params))
                    .set("version", first.definition().version())
                    .set("timeout", (int) first.timeout().toSeconds())
                    .set("rank", -first.priority())
                    .set("maxAttempts", first.maxAttempts())
                    .set("key", first.definition().key())
                    .set("queue", first.queue())
                    .set("createdBy", first.createdBy())
                    .set("secrets", first.secrets())
                    .set("channel", Signals.CHANNEL)
                    .set("notification", notification)
                    .list(row -> row.instant("created_at"));
            if (stored.isEmpty()) {
                return Optional.empty();
            }
            Instant now = stored.get(0);
            clock.saw(now);
            return Optional.of(
                    specs.stream().map(spec -> Rows.inserted(spec, now)).toList());
        } catch (SQLException e) {
            if (exists(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Stores jobs that may have been sent before. */
    List<Inserted> insert(List<JobSpec> specs) {
        return listeners.insert(() -> insertExactly(specs, own));
    }

    /** Stores jobs of an intake, whose ids may be older than those of other new jobs. */
    public List<Inserted> insertDeferred(List<JobSpec> specs) {
        return listeners.insert(() -> insertExactly(specs, ofIntake));
    }

    private List<Inserted> insertExactly(List<JobSpec> specs, Statements sql) {
        List<Inserted> inserted = quicklyOrCarefully(specs, sql);
        committed(inserted);
        return inserted;
    }

    private void committed(List<Inserted> inserted) {
        failovers.acknowledged(inserted);
        work(inserted).forEach(signals::send);
        changed(inserted);
    }

    private static Stream<Signal> work(List<Inserted> inserted) {
        return inserted.stream()
                .filter(one -> one.isNew() && one.job().status() == JobStatus.QUEUED)
                .map(one -> one.job().spec().queue())
                .distinct()
                .map(queue -> new Signal(Signal.Kind.WORK, queue));
    }

    private void changed(List<Inserted> inserted) {
        for (Inserted one : inserted) {
            if (one.isNew()) {
                signals.changed(one.job().id());
            }
        }
    }

    private List<Inserted> quicklyOrCarefully(List<JobSpec> specs, Statements sql) {
        if (specs.isEmpty()) {
            return List.of();
        }
        if (plain(specs)) {
            Optional<List<Inserted>> stored = database.single((connection, again) -> quickly(connection, specs, sql));
            if (stored.isPresent()) {
                return stored.get();
            }
        }
        return database.transaction((connection, again) -> {
            try {
                return carefully(connection, specs, sql);
            } catch (SQLException e) {
                // A concurrent transaction stored one of these ids or deleted a shared webhook row; the retry sees it.
                boolean changed = exists(e) || JobWebhooks.sharedIsGone(e);
                throw changed ? new SQLException(e.getMessage(), Database.AGAIN, e) : e;
            }
        });
    }

    @Override
    public List<Inserted> insert(Connection connection, List<JobSpec> specs) throws SQLException {
        List<Inserted> inserted = allOrNone(connection, specs);
        work(inserted).forEach(signals::sendLater);
        changed(inserted);
        return inserted;
    }

    @Override
    public List<Inserted> insert(Connection connection, List<JobSpec> specs, Consumer<Runnable> afterCommit)
            throws SQLException {
        List<Inserted> inserted = allOrNone(connection, specs);
        afterCommit.accept(() -> {
            committed(inserted);
            listeners.enqueued(inserted);
        });
        return inserted;
    }

    /**
     * Rolls back to a savepoint on failure, so that a caller who continues has no partial insert in the transaction.
     */
    private List<Inserted> allOrNone(Connection connection, List<JobSpec> specs) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError("connection", "in auto-commit mode", "in a transaction of the caller")));
        }
        if (specs.isEmpty()) {
            return List.of();
        }
        Savepoint before = connection.setSavepoint();
        try {
            List<Inserted> inserted = carefully(connection, specs, callers);
            connection.releaseSavepoint(before);
            return inserted;
        } catch (SQLException | RuntimeException e) {
            connection.rollback(before);
            throw e;
        }
    }

    /** Stores jobs with newly created ids and without idempotency keys, in a transaction of ours. */
    public void insertNew(Connection connection, List<JobSpec> specs) throws SQLException {
        if (!specs.isEmpty() && store(connection, specs, own, false) == null) {
            checkDepth(connection, specs, own);
            if (store(connection, specs, own, true) == null) {
                throw new IllegalStateException("insert.sql stored no jobs although all checks were done");
            }
        }
    }

    /** Whether a job with one of the ids already exists. */
    static boolean exists(SQLException e) {
        return Database.violates(e, "live_job_pkey") || Database.violates(e, "finished_job_pkey");
    }

    private static boolean plain(List<JobSpec> specs) {
        var ids = new HashSet<JobId>();
        return specs.stream()
                .allMatch(spec -> spec.idempotencyKey() == null && spec.webhook() == null && ids.add(spec.id()));
    }

    /**
     * Stores all jobs in one statement. Returns empty and stores nothing if one of the specs needs the careful path.
     */
    private Optional<List<Inserted>> quickly(Connection connection, List<JobSpec> specs, Statements sql)
            throws SQLException {
        try {
            Instant now = store(connection, specs, sql, false);
            return Optional.ofNullable(now)
                    .map(at ->
                            specs.stream().map(spec -> Rows.inserted(spec, at)).toList());
        } catch (SQLException e) {
            if (exists(e) || OFF_CLOCK.equals(e.getSQLState())) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private List<Inserted> carefully(Connection connection, List<JobSpec> specs, Statements sql) throws SQLException {
        Map<JobId, Job> known = Reads.find(
                connection, sql.find(), specs.stream().map(JobSpec::id).toList());
        var asked = new LinkedHashMap<JobId, JobSpec>();
        specs.stream()
                .filter(spec -> !known.containsKey(spec.id()))
                .forEach(spec -> asked.putIfAbsent(spec.id(), spec));
        checkClock(asked.values(), Database.now(connection), sql.oldest());
        Map<JobId, JobId> owners = sql.keys().take(connection, asked.values());
        List<JobSpec> fresh = asked.values().stream()
                .filter(spec -> !owners.containsKey(spec.id()))
                .toList();
        checkDepth(connection, fresh, sql);
        var added = new HashMap<JobId, Inserted>();
        if (!fresh.isEmpty()) {
            Instant now = store(connection, fresh, sql, true);
            if (now == null) {
                throw new IllegalStateException("insert.sql stored no jobs although all checks were done");
            }
            webhooks.store(connection, fresh);
            fresh.forEach(spec -> added.put(spec.id(), Rows.inserted(spec, now)));
        }
        known.putAll(Reads.find(
                connection,
                sql.find(),
                owners.values().stream().filter(id -> !added.containsKey(id)).toList()));
        var answers = new ArrayList<Inserted>(specs.size());
        var returned = new HashSet<JobId>();
        for (JobSpec spec : specs) {
            JobId id = owners.getOrDefault(spec.id(), spec.id());
            Inserted own = added.get(id);
            boolean isNew = own != null && id.equals(spec.id()) && returned.add(id);
            Job job = own != null ? own.job() : known.get(id);
            if (job == null) {
                throw new SQLException("the job of an idempotency key has just been removed", Database.AGAIN);
            }
            answers.add(new Inserted(job, isNew));
        }
        return answers;
    }

    private void checkDepth(Connection connection, List<JobSpec> fresh, Statements sql) throws SQLException {
        var requested = new HashMap<String, Integer>();
        fresh.stream().filter(spec -> !spec.hold()).forEach(spec -> requested.merge(spec.queue(), 1, Integer::sum));
        if (requested.isEmpty()) {
            return;
        }
        var bounds = new LinkedHashMap<String, Integer>();
        try (Call call = lockBoundedQueues.on(connection)) {
            call.texts("queues", new TreeSet<>(requested.keySet()))
                    .list(row -> bounds.put(row.text("name"), row.integer("max_depth")));
        }
        for (var bound : bounds.entrySet()) {
            int most = bound.getValue();
            int more = requested.getOrDefault(bound.getKey(), 0);
            try (Call call = sql.queueDepth().on(connection)) {
                long waiting = call.set("queue", bound.getKey())
                        .set("most", most + 1)
                        .list(row -> row.bigint("jobs"))
                        .get(0);
                if (waiting + more > most) {
                    throw Refusal.queueFull(bound.getKey(), most);
                }
            }
        }
    }

    /**
     * Stores the jobs and returns the database time. Returns null and stores nothing if one of them needs the careful
     * path.
     */
    private @Nullable Instant store(Connection connection, List<JobSpec> specs, Statements sql, boolean bounded)
            throws SQLException {
        try (Call call = sql.insert().on(connection)) {
            call.uuids("ids", column(specs, spec -> spec.id().value()));
            // Most batches have one definition and one queue, which are sent once instead of per job.
            JobSpec first = specs.get(0);
            DefinitionRef usual = first.definition();
            call.set("usualKey", usual.key())
                    .set("usualVersion", usual.version())
                    .set("usualQueue", first.queue())
                    .set("usualTimeout", seconds(first))
                    .set("usualRank", -first.priority())
                    .set("usualAttempts", first.maxAttempts());
            call.texts(
                    "keys",
                    column(specs, spec -> unless(usual.key(), spec.definition().key())));
            call.ints(
                    "versions",
                    column(
                            specs,
                            spec -> unless(usual.version(), spec.definition().version())));
            call.texts("queues", column(specs, spec -> unless(first.queue(), spec.queue())));
            call.texts(
                    "queueNames",
                    new TreeSet<>(specs.stream().map(JobSpec::queue).toList()));
            call.set("bounded", bounded)
                    .set("deferred", sql.oldest().compareTo(Limits.CLOCK_SKEW) > 0)
                    .set("oldest", sql.oldest().toSeconds());
            call.shorts("ranks", column(specs, spec -> unless((short) -first.priority(), (short) -spec.priority())));
            call.texts("params", column(specs, JobSpec::params));
            call.instants("runAts", column(specs, spec -> spec.runTime().at()));
            call.longs("delays", column(specs, spec -> micros(spec.runTime())));
            call.shorts(
                    "maxAttempts",
                    column(specs, spec -> unless((short) first.maxAttempts(), (short) spec.maxAttempts())));
            call.ints("timeouts", column(specs, spec -> unless(seconds(first), seconds(spec))));
            call.flags("holds", column(specs, spec -> spec.hold() ? true : null));
            call.texts("names", column(specs, JobSpec::name));
            call.texts("correlationIds", column(specs, JobSpec::correlationId));
            call.texts("labels", column(specs, Inserts::labels));
            call.texts("createdBys", column(specs, JobSpec::createdBy));
            call.texts("scheduleKeys", column(specs, spec -> map(spec.schedule(), ScheduleFire::scheduleKey)));
            call.instants("fireAts", column(specs, spec -> map(spec.schedule(), ScheduleFire::fireAt)));
            call.texts("traceparents", column(specs, JobSpec::traceparent));
            call.texts("secrets", column(specs, JobSpec::secrets));
            record Stored(long jobs, Instant now) {}
            Stored stored = call.list(row -> new Stored(row.bigint("jobs"), row.instant("now")))
                    .get(0);
            return stored.jobs() == specs.size() ? stored.now() : null;
        }
    }

    private static <T, V> @Nullable V map(@Nullable T value, java.util.function.Function<T, V> mapper) {
        return value == null ? null : mapper.apply(value);
    }

    /** Returns the value, or null if it equals the usual one. */
    private static <V> @Nullable V unless(V usual, V value) {
        return value.equals(usual) ? null : value;
    }

    private static @Nullable Long micros(RunAt runTime) {
        Duration after = runTime.after();
        return after == null ? null : after.toNanos() / 1000;
    }

    private static Integer seconds(JobSpec spec) {
        return (int) spec.timeout().toSeconds();
    }

    private static @Nullable String labels(JobSpec spec) {
        List<String> pairs = Rows.labels(spec.labels());
        return pairs == null ? null : String.join("\n", pairs);
    }

    /** Rejects ids created far from now: retention and the partitions by day rely on the time in them. */
    private static void checkClock(Iterable<JobSpec> specs, Instant now, Duration oldest) {
        for (JobSpec spec : specs) {
            Duration age = Duration.between(spec.id().madeAt(), now);
            if (age.compareTo(oldest) > 0 || age.negated().compareTo(Limits.CLOCK_SKEW) > 0) {
                throw Refusal.idOffClock(spec.id(), now);
            }
        }
    }
}
