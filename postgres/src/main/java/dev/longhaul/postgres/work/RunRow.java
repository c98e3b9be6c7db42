package dev.longhaul.postgres.work;

import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Tally;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.work.Lapse;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a live job, read under its row lock, that are needed to change it: a row of {@code lock_….sql}
 * statements.
 */
public record RunRow(
        JobId id,
        int run,
        @Nullable UUID key,
        JobState state,
        Tally tally,
        int maxAttempts,
        int position,
        int startedPosition,
        int lastSequence,
        Instant runAt,
        @Nullable Instant startedAt,
        @Nullable String workerId,
        String definitionKey,
        String queue,
        Instant now,
        boolean counted,
        Progress progress,
        boolean begun,
        @Nullable Instant heartbeatAt) {

    public static RunRow of(Row row) throws SQLException {
        int run = row.integer("run");
        return new RunRow(
                new JobId(row.uuid("id")),
                run,
                row.uuidOrNull("lease_key"),
                JobState.ofCode(row.integer("state")),
                new Tally(run, row.integer("attempts"), row.integer("crashes")),
                row.integer("max_attempts"),
                row.integer("position"),
                row.integer("started_position"),
                row.integer("last_sequence"),
                row.instant("run_at"),
                row.instantOrNull("started_at"),
                row.textOrNull("worker_id"),
                row.text("definition_key"),
                row.text("queue"),
                row.instant("now"),
                row.flag("counted"),
                new Progress(row.integer("progress"), row.textOrNull("progress_message")),
                row.flag("begun"),
                row.instantOrNull("heartbeat_at"));
    }

    /** Returns the likely reason of an expired lease; assumes that the lease of this run has expired. */
    public Lapse lapse() {
        return Lapse.of(begun, Objects.requireNonNull(startedAt, "startedAt"), heartbeatAt);
    }

    /** The claim that owns the job; throws if the job is not leased. */
    public Claim claim() {
        if (key == null) {
            throw new IllegalStateException("job " + id + " is not leased");
        }
        return new Claim(id, run, key);
    }
}
