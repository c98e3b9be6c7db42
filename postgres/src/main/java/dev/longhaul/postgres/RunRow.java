package dev.longhaul.postgres;

import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Lapse;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Tally;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What must be known of a live job, under its row lock, to change it: a row of the {@code lock_….sql} statements. */
record RunRow(
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

    static RunRow of(ResultSet row) throws SQLException {
        int run = row.getInt(2);
        return new RunRow(
                new JobId(Call.uuid(row, 1)),
                run,
                row.getObject(3, UUID.class),
                JobState.ofCode(row.getInt(4)),
                new Tally(run, row.getInt(5), row.getInt(7)),
                row.getInt(6),
                row.getInt(8),
                row.getInt(9),
                row.getInt(10),
                Call.instantOf(row, 11),
                Call.instant(row, 12),
                row.getString(13),
                row.getString(14),
                row.getString(15),
                Call.instantOf(row, 16),
                row.getBoolean(17),
                new Progress(row.getInt(18), row.getString(19)),
                row.getBoolean(20),
                Call.instant(row, 21));
    }

    /** What it says about the job that its lease has lapsed. */
    Lapse lapse() {
        return Lapse.of(begun, Objects.requireNonNull(startedAt, "startedAt"), heartbeatAt);
    }

    /** The claim that owns the job; only of one that is leased. */
    Claim claim() {
        if (key == null) {
            throw new IllegalStateException("job " + id + " is not leased");
        }
        return new Claim(id, run, key);
    }
}
