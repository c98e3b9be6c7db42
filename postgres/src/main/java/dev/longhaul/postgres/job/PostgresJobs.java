package dev.longhaul.postgres.job;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.JobQuery;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunTime;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.ClockEstimate;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.upkeep.FailoverWatch;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The record of jobs. Inserts plain jobs itself and all others by {@link Inserts}; announces changes, and reports to listeners. */
public final class PostgresJobs implements JobStore, TransactionalInserts, FreshInserts {
    private static final Duration SURELY_ON_CLOCK = Limits.CLOCK_SKEW.dividedBy(2);

    private final NamedSql insertAlike = NamedSql.load("job/insert_alike");
    private final Database database;
    private final ClockEstimate clock;
    private final Inserts inserts;
    private final Inserts callersInserts;
    private final Commands commands;
    private final Reads reads;
    private final Reads lists;
    private final Queues counts;
    private final FailoverWatch failovers;
    private final Signals signals;
    private final StoreListeners listeners;

    /**
     * @param lists where lists are read
     * @param counts where jobs are counted
     */
    public PostgresJobs(
            Database database,
            Reads reads,
            Reads lists,
            Queues counts,
            Inserts inserts,
            Commands commands,
            FailoverWatch failovers,
            Signals signals,
            StoreListeners listeners) {
        this.database = database;
        this.inserts = inserts;
        this.reads = reads;
        this.lists = lists;
        this.counts = counts;
        this.clock = new ClockEstimate(reads::now);
        this.callersInserts = Inserts.forCallers(database, reads);
        this.commands = commands;
        this.failovers = failovers;
        this.signals = signals;
        this.listeners = listeners;
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

    /**
     * Stores jobs that were never sent before. Plain jobs of one definition take one short statement, together with the wake-up;
     * all others take the exact way.
     */
    private List<Inserted> insertAlike(List<JobSpec> specs) {
        var work = new Signal(Signal.Kind.WORK, specs.get(0).queue());
        String notification = signals.notification(work);
        Optional<List<Inserted>> stored = !alike(specs)
                ? Optional.empty()
                : database.single((connection, again) ->
                        // After a broken connection they may have been stored, and even have finished: the exact way
                        // finds out.
                        again ? Optional.empty() : storeAlike(connection, specs, notification));
        if (stored.isEmpty()) {
            return insertExactly(specs);
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
                    && spec.runTime().equals(RunTime.now())
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
            if (Inserts.exists(e)) {
                return Optional.empty();
            }
            throw e;
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
    public List<Run> runs(JobId id, int after, int limit) {
        return reads.runs(id, after, limit);
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        return reads.events(query);
    }

    @Override
    public OptionalInt lastSequence(Claim claim) {
        return reads.lastSequence(claim);
    }

    private void changed(List<Inserted> inserted) {
        for (Inserted one : inserted) {
            if (one.isNew()) {
                signals.changed(one.job().id());
            }
        }
    }
}
