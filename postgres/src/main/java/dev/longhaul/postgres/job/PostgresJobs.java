package dev.longhaul.postgres.job;

import dev.longhaul.JobQuery;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Run;
import dev.longhaul.postgres.database.Database;
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
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The record of jobs. Announces what has changed, and reports to listeners. */
public final class PostgresJobs implements JobStore, TransactionalInserts {
    private final Inserts inserts;
    private final Inserts callersInserts;
    private final Commands commands;
    private final Reads reads;
    private final Reads lists;
    private final Queues counts;
    private final FailoverWatch failovers;
    private final Signals signals;
    private final StoreListeners listeners;

    /** @param forLists where lists and counts are read */
    public PostgresJobs(
            Database database,
            Database forLists,
            Inserts inserts,
            Commands commands,
            FailoverWatch failovers,
            Signals signals,
            StoreListeners listeners) {
        this.inserts = inserts;
        this.reads = new Reads(database);
        this.callersInserts = Inserts.forCallers(database, reads);
        this.commands = commands;
        this.lists = new Reads(forLists);
        this.counts = new Queues(forLists);
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
