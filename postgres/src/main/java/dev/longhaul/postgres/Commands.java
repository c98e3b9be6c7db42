package dev.longhaul.postgres;

import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunEnd;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.RunTime;
import dev.longhaul.postgres.Updates.StoredEvent;
import dev.longhaul.store.AuditDetails;
import dev.longhaul.store.Refusal;
import dev.longhaul.store.Signal;
import dev.longhaul.store.StoreListeners;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What people do to jobs: hold, release, edit, run now, cancel, retry. Each decides under the job's row lock. */
final class Commands {
    private final NamedSql lockLive = NamedSql.load("job/lock_live");
    private final NamedSql lockFinished = NamedSql.load("job/lock_finished");
    private final NamedSql edit = NamedSql.load("job/edit");
    private final NamedSql requestCancel = NamedSql.load("job/request_cancel");
    private final NamedSql keepCancel = NamedSql.load("job/keep_cancel");
    private final NamedSql revive = NamedSql.load("job/revive");
    private final NamedSql archiveRuns = NamedSql.load("work/archive_runs");
    private final Database database;
    private final Reads reads;
    private final JobMoves moves;
    private final Updates updates;
    private final Partitions partitions;
    private final Signals signals;
    private final StoreListeners listeners;

    Commands(
            Database database,
            Reads reads,
            JobMoves moves,
            Updates updates,
            Partitions partitions,
            Signals signals,
            StoreListeners listeners) {
        this.database = database;
        this.reads = reads;
        this.moves = moves;
        this.updates = updates;
        this.partitions = partitions;
        this.signals = signals;
        this.listeners = listeners;
    }

    Job hold(JobId id, @Nullable String by) {
        Audit audit = Audit.of("job.hold");
        return change(id, connection -> {
            Job job = lockedJob(connection, id);
            if (job.state() != JobState.WAITING || job.spec().schedule() != null) {
                throw Refusal.notHoldable(id, job.status(), job.spec().schedule());
            }
            RunRow row = lock(connection, id);
            audit.write(connection, id);
            return write(connection, row, job.spec(), JobState.CREATED, row.runAt(), EventType.HELD, by);
        });
    }

    Job release(JobId id, @Nullable String by) {
        Audit audit = Audit.of("job.release");
        return change(id, connection -> {
            Job job = lockedJob(connection, id);
            require(job.status() == JobStatus.CREATED, job, "release", "held");
            RunRow row = lock(connection, id);
            Instant runAt = RunTime.at(row.runAt()).resolve(row.now());
            audit.write(connection, id);
            return write(connection, row, job.spec(), JobState.WAITING, runAt, EventType.RELEASED, by);
        });
    }

    Job edit(JobId id, JobEdit change, @Nullable String by) {
        Audit audit = Audit.of("job.edit");
        return change(id, connection -> {
            Job job = lockedJob(connection, id);
            require(
                    job.state() == JobState.CREATED || job.state() == JobState.WAITING,
                    job,
                    "edit",
                    "held, scheduled, queued or retrying");
            RunRow row = lock(connection, id);
            RunTime runTime = change.runTime();
            Instant runAt = runTime == null ? row.runAt() : runTime.resolve(row.now());
            JobSpec spec = change.applyTo(job.spec());
            Signal signal = write(connection, row, spec, row.state(), runAt, EventType.EDITED, by);
            if (audit.wanted()) {
                Job edited = found(connection, id);
                audit.write(connection, id, () -> AuditDetails.edited(job, edited));
            }
            return signal;
        });
    }

    Job runNow(JobId id, @Nullable String by) {
        Audit audit = Audit.of("job.runNow");
        return change(id, connection -> {
            Job job = lockedJob(connection, id);
            require(
                    job.status() == JobStatus.SCHEDULED || job.status() == JobStatus.RETRYING,
                    job,
                    "run now",
                    "scheduled or retrying");
            RunRow row = lock(connection, id);
            audit.write(connection, id);
            return write(connection, row, job.spec(), JobState.WAITING, row.now(), EventType.EDITED, by);
        });
    }

    Job cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace) {
        Audit audit = Audit.of("job.cancel");
        var ended = new AtomicBoolean();
        Job cancelled = change(id, connection -> {
            Job job = lockedJob(connection, id);
            ended.set(job.state() == JobState.CREATED || job.state() == JobState.WAITING);
            CancelRequest request = new CancelRequest(job.times().updatedAt(), reason, grace);
            String payload = Payload.of("reason", request.reason(), "by", by);
            audit.write(connection, id, () -> AuditDetails.of(request));
            switch (job.state()) {
                case CREATED, WAITING -> {
                    RunRow row = lock(connection, id);
                    var end =
                            new RunEnd(JobState.CANCELLED, RunStatus.CANCELLED, null, null, null, false, false, false);
                    moves.write(connection, List.of(new JobMoves.Ended(row, end)));
                    try (Call call = keepCancel.on(connection)) {
                        bind(call, id, request).update();
                    }
                    event(connection, id, row.position() + 1, EventType.CANCELLED, payload);
                    return null;
                }
                case RUNNING -> {
                    RunRow row = lock(connection, id);
                    try (Call call = requestCancel.on(connection)) {
                        bind(call, id, request)
                                .set("position", row.position() + 1)
                                .update();
                    }
                    event(connection, id, row.position() + 1, EventType.CANCEL_REQUESTED, payload);
                    return new Signal(Signal.Kind.CANCEL, id.toString());
                }
                case CANCELLING, CANCELLED -> {
                    return null;
                }
                case SUCCEEDED, FAILED ->
                    throw Refusal.forbidden(id, job.status(), "cancel", "a job that has not ended");
            }
            throw new IllegalStateException("state: " + job.state());
        });
        if (ended.get()) {
            listeners.report(listener -> listener.cancelled(cancelled));
        }
        return cancelled;
    }

    private static Call bind(Call call, JobId id, CancelRequest request) throws SQLException {
        Duration grace = request.grace();
        return call.set("id", id.value())
                .set("reason", request.reason())
                .set("grace", grace == null ? null : (Long) grace.toMillis());
    }

    Job retry(JobId id, @Nullable String by) {
        Audit audit = Audit.of("job.retry");
        return change(id, connection -> {
            Finished finished = lockFinished(connection, id);
            if (finished == null || !finished.state().next().contains(JobState.WAITING)) {
                throw Refusal.forbidden(id, lockedJob(connection, id).status(), "retry", "failed or cancelled");
            }
            if (finished.endedRun() > 0) {
                if (!finished.archived()) {
                    archive(connection, id, finished);
                }
                // From here on the job's row tells of its next end, so this one needs an event of its own.
                updates.storeEvents(
                        connection,
                        List.of(new StoredEvent(
                                id,
                                finished.endedPosition(),
                                finished.endedRun(),
                                0,
                                EventType.ofEnd(finished.state()),
                                finished.finishedAt(),
                                Payload.of(finished.failure()))));
            }
            try (Call call = revive.on(connection)) {
                call.set("id", id.value())
                        .set("position", finished.position() + 1)
                        .update();
            }
            audit.write(connection, id);
            event(connection, id, finished.position() + 1, EventType.RETRIED, Payload.of("by", by));
            return new Signal(Signal.Kind.WORK, finished.queue());
        });
    }

    /** Changes one job; answers the signal to send once that is committed. */
    private interface Change {
        @Nullable
        Signal on(Connection connection) throws SQLException;
    }

    private Job change(JobId id, Change change) {
        record Changed(Job job, @Nullable Signal signal) {}
        Changed changed = partitions.retryWithPartitions(
                List.of(id),
                one -> one,
                () -> database.once(connection -> {
                    Signal signal = change.on(connection);
                    return new Changed(found(connection, id), signal);
                }));
        Signal signal = changed.signal();
        if (signal != null) {
            signals.send(signal);
        }
        return changed.job();
    }

    private Job found(Connection connection, JobId id) throws SQLException {
        Job job = reads.find(connection, List.of(id)).get(id);
        if (job == null) {
            throw Refusal.notFound(id);
        }
        return job;
    }

    /** The job as it is while its row, if it is live, is locked. */
    private Job lockedJob(Connection connection, JobId id) throws SQLException {
        try (Call call = lockLive.on(connection)) {
            call.set("id", id.value()).list(RunRow::of);
        }
        return found(connection, id);
    }

    private RunRow lock(Connection connection, JobId id) throws SQLException {
        try (Call call = lockLive.on(connection)) {
            return call.set("id", id.value()).list(RunRow::of).get(0);
        }
    }

    private static void require(boolean holds, Job job, String step, String needs) {
        if (!holds) {
            throw Refusal.forbidden(job.id(), job.status(), step, needs);
        }
    }

    private @Nullable Signal write(
            Connection connection,
            RunRow row,
            JobSpec spec,
            JobState state,
            Instant runAt,
            EventType event,
            @Nullable String by)
            throws SQLException {
        try (Call call = edit.on(connection)) {
            call.set("id", row.id().value())
                    .set("state", (int) state.code())
                    .set("name", spec.name())
                    .set("runAt", runAt)
                    .set("rank", -spec.priority())
                    .set("params", spec.params())
                    .set("secrets", spec.secrets())
                    .texts("labels", Rows.labels(spec.labels()))
                    .set("maxAttempts", spec.maxAttempts())
                    .set("position", row.position() + 1)
                    .update();
        }
        event(connection, row.id(), row.position() + 1, event, Payload.of("by", by));
        boolean due = state == JobState.WAITING && !runAt.isAfter(row.now());
        return due ? new Signal(Signal.Kind.WORK, spec.queue()) : null;
    }

    private void event(Connection connection, JobId id, int position, EventType type, @Nullable String payload)
            throws SQLException {
        updates.storeEvents(connection, List.of(new StoredEvent(id, position, 0, 0, type, null, payload)));
    }

    private record Finished(
            JobState state,
            int run,
            int attempts,
            int endedRun,
            int endedPosition,
            int position,
            @Nullable UUID key,
            @Nullable String workerId,
            @Nullable Instant startedAt,
            int startedPosition,
            Instant finishedAt,
            @Nullable Failure failure,
            String queue,
            boolean archived) {

        static Finished of(Row row) throws SQLException {
            return new Finished(
                    JobState.ofCode(row.integer("state")),
                    row.integer("run"),
                    row.integer("attempts"),
                    row.integer("ended_run"),
                    row.integer("ended_position"),
                    row.integer("position"),
                    row.uuidOrNull("lease_key"),
                    row.textOrNull("worker_id"),
                    row.instantOrNull("started_at"),
                    row.integer("started_position"),
                    row.instant("finished_at"),
                    Rows.failure(row),
                    row.text("queue"),
                    row.flag("archived"));
        }

        RunStatus runStatus() {
            return switch (state) {
                case SUCCEEDED -> RunStatus.SUCCEEDED;
                case FAILED -> RunStatus.FAILED;
                default -> RunStatus.CANCELLED;
            };
        }
    }

    private @Nullable Finished lockFinished(Connection connection, JobId id) throws SQLException {
        try (Call call = lockFinished.on(connection)) {
            List<Finished> found = call.set("id", id.value()).list(Finished::of);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private void archive(Connection connection, JobId id, Finished finished) throws SQLException {
        List<Finished> one = List.of(finished);
        try (Call call = archiveRuns.on(connection)) {
            call.uuids("ids", List.of(id.value()))
                    .ints("runs", List.of(finished.endedRun()))
                    .shorts("attempts", List.of((short) finished.attempts()))
                    .shorts("statuses", List.of(finished.runStatus().code()))
                    .uuids("keys", Call.column(one, Finished::key))
                    .texts("workers", Call.column(one, Finished::workerId))
                    .instants("startedAts", Call.column(one, Finished::startedAt))
                    .instants("endedAts", List.of(finished.finishedAt()))
                    .ints("startedPositions", List.of(finished.startedPosition()))
                    .ints("endedPositions", List.of());
            JobMoves.errors(call, one, Finished::failure).update();
        }
    }
}
