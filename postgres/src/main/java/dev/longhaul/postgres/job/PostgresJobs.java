package dev.longhaul.postgres.job;

import dev.longhaul.access.AuditDetail;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.postgres.access.Audit;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.work.JobMoves;
import dev.longhaul.postgres.work.RunRow;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Signal;
import dev.longhaul.work.RunEnd;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs in the database: inherits reads, delegates inserts to {@link Inserts}, and executes commands. The cancel of
 * a running job is one statement in auto-commit mode. Every other command locks the job's row, decides by its current
 * state, and writes. The last statement of each stores the event and the audit entry and returns the job.
 */
public final class PostgresJobs extends Reads implements JobStore {
    private final NamedSql lockJob = NamedSql.load("job/lock_job");
    private final NamedSql lockFinished = NamedSql.load("job/lock_finished");
    private final NamedSql edit = NamedSql.load("job/edit");
    private final NamedSql requestCancel = NamedSql.load("job/request_cancel");
    private final NamedSql keepCancel = NamedSql.load("job/keep_cancel");
    private final NamedSql revive = NamedSql.load("job/revive");
    private final Database database;
    private final Inserts inserts;
    private final JobMoves moves;
    private final Signals signals;
    private final StoreListeners listeners;

    /**
     * @param forLists the database for reading lists: the read replica if there is one
     * @param queues counts jobs
     */
    public PostgresJobs(StoreBase base, Database forLists, PostgresQueues queues, Inserts inserts, JobMoves moves) {
        super(base.database(), forLists, queues);
        this.database = base.database();
        this.signals = base.signals();
        this.listeners = base.listeners();
        this.inserts = inserts;
        this.moves = moves;
    }

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        return inserts.insert(specs);
    }

    /** A live job whose row is locked. */
    private record Locked(Job job, RunRow row) {
        static Locked of(Row row) throws SQLException {
            return new Locked(Rows.job(row), RunRow.of(row));
        }
    }

    @Override
    public CommandResult execute(JobCommand command) {
        Audit audit = Audit.of(command.action());
        Optional<CommandResult> cancelling =
                command instanceof JobCommand.Cancel cancel ? cancelRunning(cancel, audit) : Optional.empty();
        CommandResult result = cancelling.orElseGet(() -> inTransaction(command, audit));
        if (result.changed()) {
            signals.changed(command.id());
            if (result.job().state() == JobState.CANCELLED) {
                listeners.report(listener -> listener.cancelled(result.job()));
            }
        }
        return result;
    }

    /** Cancels a running job; returns empty, and changes nothing, if the job is not running. */
    private Optional<CommandResult> cancelRunning(JobCommand.Cancel cancel, Audit audit) {
        Signal signal = cancelSignal(cancel.id());
        String notification = signals.notification(signal);
        Optional<Job> job = database.singleOnce(connection -> requestCancel(connection, cancel, audit, notification));
        if (job.isPresent()) {
            if (notification == null) {
                signals.send(signal);
            } else {
                signals.deliver(signal);
            }
        }
        return job.map(cancelling -> new CommandResult(cancelling, true));
    }

    private CommandResult inTransaction(JobCommand command, Audit audit) {
        CommandResult result = database.once(connection -> {
            if (command instanceof JobCommand.Retry retry) {
                return new CommandResult(retry(connection, retry, audit), true);
            }
            return lockAndExecute(connection, command, audit);
        });
        if (result.changed()) {
            Job job = result.job();
            if (job.status() == JobStatus.QUEUED) {
                signals.send(new Signal(Signal.Kind.WORK, job.spec().queue()));
            } else if (job.status() == JobStatus.CANCELLING) {
                signals.send(cancelSignal(job.id()));
            }
        }
        return result;
    }

    private static Signal cancelSignal(JobId id) {
        return new Signal(Signal.Kind.CANCEL, id.toString());
    }

    private CommandResult lockAndExecute(Connection connection, JobCommand command, Audit audit) throws SQLException {
        Locked locked = lock(connection, command.id());
        Job job = locked == null ? found(connection, command.id()) : locked.job();
        Refusal.throwUnlessAllowed(command, job);
        if (job.state() == JobState.CANCELLING || job.state() == JobState.CANCELLED) {
            // The only allowed command here is a repeated cancel.
            audit.write(connection, job.id(), () -> detail(command));
            return new CommandResult(job, false);
        }
        if (locked == null) {
            throw movedMeanwhile(job.id());
        }
        Job changed = command instanceof JobCommand.Cancel cancel
                ? cancel(connection, locked, cancel, audit)
                : edit(connection, locked, command, audit);
        return new CommandResult(changed, true);
    }

    private @Nullable Locked lock(Connection connection, JobId id) throws SQLException {
        try (Call call = lockJob.on(connection)) {
            List<Locked> live = call.set("id", id.value()).list(Locked::of);
            return live.isEmpty() ? null : live.get(0);
        }
    }

    private Job found(Connection connection, JobId id) throws SQLException {
        Job job = find(connection, List.of(id)).get(id);
        if (job == null) {
            throw Refusal.notFound(id);
        }
        return job;
    }

    /**
     * Returns an exception that makes the transaction retry: the job moved between the live and the finished table
     * while it was being read.
     */
    private static SQLException movedMeanwhile(JobId id) {
        return new SQLException("job " + id + " ended or was retried meanwhile", Database.AGAIN);
    }

    // Cancel

    private Job cancel(Connection connection, Locked locked, JobCommand.Cancel cancel, Audit audit)
            throws SQLException {
        if (locked.job().state() == JobState.RUNNING) {
            return requestCancel(connection, cancel, audit, null)
                    .orElseThrow(() -> new IllegalStateException("job " + cancel.id() + " is locked and not running"));
        }
        moves.write(connection, List.of(new JobMoves.Ended(locked.row(), RunEnd.CANCELLED)));
        try (Call call = keepCancel.on(connection)) {
            bind(call, cancel);
            return recorded(call, cancel, EventType.CANCELLED, audit, () -> detail(cancel));
        }
    }

    private Optional<Job> requestCancel(
            Connection connection, JobCommand.Cancel cancel, Audit audit, @Nullable String notification)
            throws SQLException {
        try (Call call = requestCancel.on(connection)) {
            bind(call, cancel).set("channel", Signals.CHANNEL).set("notification", notification);
            return record(call, cancel, EventType.CANCEL_REQUESTED, audit, () -> detail(cancel))
                    .list(Rows::job)
                    .stream()
                    .findFirst();
        }
    }

    private static Call bind(Call call, JobCommand.Cancel cancel) throws SQLException {
        Duration grace = cancel.grace();
        return call.set("id", cancel.id().value())
                .set("reason", cancel.reason())
                .set("grace", grace == null ? null : (Long) grace.toMillis());
    }

    // Hold, release, run now, edit

    private Job edit(Connection connection, Locked locked, JobCommand command, Audit audit) throws SQLException {
        Job job = locked.job();
        RunRow row = locked.row();
        JobState state = row.state();
        JobSpec spec = job.spec();
        RunAt runTime = null;
        EventType event = EventType.EDITED;
        if (command instanceof JobCommand.Hold) {
            state = JobState.CREATED;
            event = EventType.HELD;
        } else if (command instanceof JobCommand.Release) {
            state = JobState.WAITING;
            runTime = RunAt.at(row.runAt());
            event = EventType.RELEASED;
        } else if (command instanceof JobCommand.RunNow) {
            runTime = RunAt.now();
        } else if (command instanceof JobCommand.Edit given) {
            JobEdit change = given.edit();
            spec = change.applyTo(spec);
            runTime = change.runTime();
        }
        Instant runAt = runTime == null ? row.runAt() : Call.micros(runTime.resolve(row.now()));
        JobSpec edited = spec;
        try (Call call = edit.on(connection)) {
            bind(call, spec).set("state", (int) state.code()).set("runAt", runAt);
            return recorded(
                    call,
                    command,
                    event,
                    audit,
                    () -> command instanceof JobCommand.Edit
                            ? AuditDetails.edited(job, edited, runAt)
                            : new AuditDetail());
        }
    }

    private static Call bind(Call call, JobSpec spec) throws SQLException {
        return call.set("id", spec.id().value())
                .set("name", spec.name())
                .set("rank", -spec.priority())
                .set("params", spec.params())
                .set("secrets", spec.secrets())
                .texts("labels", Rows.labels(spec.labels()))
                .set("maxAttempts", spec.maxAttempts());
    }

    // Retry

    /** How a finished job ended, and whether its last run has its own row. */
    private record Finished(JobState state, @Nullable Failure failure, boolean archived) {
        static Finished of(Row row) throws SQLException {
            return new Finished(JobState.ofCode(row.integer("state")), Rows.failure(row), row.flag("archived"));
        }
    }

    private Job retry(Connection connection, JobCommand.Retry retry, Audit audit) throws SQLException {
        Finished finished = lockFinished(connection, retry.id());
        if (finished == null || !finished.state().next().contains(JobState.WAITING)) {
            Refusal.throwUnlessAllowed(retry, found(connection, retry.id()));
            throw movedMeanwhile(retry.id());
        }
        try (Call call = revive.on(connection)) {
            call.set("id", retry.id().value())
                    .set("archived", finished.archived())
                    .set("endEvent", EventType.ofEnd(finished.state()).wireName())
                    .set("endPayload", Payload.of(finished.failure()));
            return recorded(call, retry, EventType.RETRIED, audit, AuditDetail::new);
        }
    }

    private @Nullable Finished lockFinished(Connection connection, JobId id) throws SQLException {
        try (Call call = lockFinished.on(connection)) {
            List<Finished> found = call.set("id", id.value()).list(Finished::of);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    // Event and audit entry

    private static AuditDetail detail(JobCommand command) {
        return command instanceof JobCommand.Cancel cancel ? AuditDetails.of(cancel) : new AuditDetail();
    }

    /** Sets the parameters of record_command.sql. */
    private static Call record(
            Call call, JobCommand command, EventType event, Audit audit, Supplier<AuditDetail> detail)
            throws SQLException {
        String reason = command instanceof JobCommand.Cancel cancel ? cancel.reason() : null;
        call.set("event", event.wireName()).set("payload", Payload.of("reason", reason, "by", command.by()));
        return audit.bind(call, command.id(), detail);
    }

    /** Runs a statement that changes a locked job, and returns the job. */
    private static Job recorded(
            Call call, JobCommand command, EventType event, Audit audit, Supplier<AuditDetail> detail)
            throws SQLException {
        return record(call, command, event, audit, detail).list(Rows::job).get(0);
    }
}
