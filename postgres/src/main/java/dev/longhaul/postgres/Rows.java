package dev.longhaul.postgres;

import static dev.longhaul.postgres.Call.instant;
import static dev.longhaul.postgres.Call.instantOf;
import static dev.longhaul.postgres.Call.uuid;

import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunTime;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.Tally;
import dev.longhaul.job.Times;
import dev.longhaul.store.ClaimedJob;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns rows into jobs. The column numbers follow the view {@code longhaul.job} and {@code claim.sql}. */
final class Rows {
    /** What {@link #job} reads, of a view j. */
    static final String ALL = "j.*, longhaul.clock()";

    /** The same without what may be large. */
    static final String BRIEF = """
            j.id, j.definition_key, j.definition_version, j.queue, j.rank, j.state, 'null'::text as params, j.max_attempts,
                j.timeout_seconds, j.name, j.correlation_id, j.labels, j.created_by, j.schedule_key, j.fire_at, j.traceparent,
                j.created_at, j.updated_at, j.run_at, j.started_at, j.finished_at, j.run, j.attempts, j.crashes, j.progress,
                j.progress_message, j.worker_id, j.lease_until, j.heartbeat_at, j.cancel_requested_at, j.cancel_reason,
                j.cancel_grace_millis, j.error_code, j.error_message, j.error_type, null::text as error_stack,
                null::text as result, j.status, j.secrets, longhaul.clock()""";

    private Rows() {}

    /** A row of the view {@code longhaul.job}, followed by the clock. */
    static Job job(ResultSet row) throws SQLException {
        JobState state = JobState.ofCode(row.getInt(6));
        Instant now = instantOf(row, 40);
        Tally tally = new Tally(row.getInt(22), row.getInt(23), row.getInt(24));
        Instant runAt = instantOf(row, 19);
        Times times = new Times(instantOf(row, 17), instantOf(row, 18), runAt, instant(row, 20), instant(row, 21));
        Instant leaseUntil = instant(row, 28);
        return new Job(
                spec(row, runAt, new int[] {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 39}),
                JobStatus.of(state, runAt, tally.attempts(), now),
                times,
                tally,
                new Progress(row.getInt(25), row.getString(26)),
                leaseUntil == null ? null : new Lease(row.getString(27), leaseUntil, instant(row, 29)),
                cancelRequest(row, 30),
                failure(row, 33),
                row.getString(37));
    }

    /** A row of {@code claim.sql}. */
    static ClaimedJob claimed(ResultSet row, UUID batch, String workerId) throws SQLException {
        Instant runAt = instantOf(row, 17);
        Instant startedAt = instantOf(row, 18);
        JobSpec spec = spec(row, runAt, new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 29});
        Tally tally = new Tally(row.getInt(19), row.getInt(20), row.getInt(21));
        var job = new Job(
                spec,
                JobStatus.RUNNING,
                new Times(instantOf(row, 16), startedAt, runAt, startedAt, null),
                tally,
                Progress.NONE,
                new Lease(workerId, instantOf(row, 22), null),
                null,
                failure(row, 23),
                null);
        return new ClaimedJob(new Claim(spec.id(), tally.run(), batch), job, begin(spec, row));
    }

    /** What is left to do about the begin of a claimed run, from its columns begun and begin_first. */
    static ClaimedJob.Begin begin(JobSpec spec, ResultSet row) throws SQLException {
        if (row.getBoolean("begun")) {
            return ClaimedJob.Begin.STORED;
        }
        boolean first = spec.maxAttempts() == 1 || row.getBoolean("begin_first");
        return first ? ClaimedJob.Begin.FIRST : ClaimedJob.Begin.SOON;
    }

    static @Nullable Failure failure(ResultSet row, int column) throws SQLException {
        String code = row.getString(column);
        return code == null
                ? null
                : new Failure(code, row.getString(column + 1), row.getString(column + 2), row.getString(column + 3));
    }

    static @Nullable CancelRequest cancelRequest(ResultSet row, int column) throws SQLException {
        Instant at = instant(row, column);
        if (at == null) {
            return null;
        }
        String reason = row.getString(column + 1);
        long grace = row.getLong(column + 2);
        return new CancelRequest(at, reason, row.wasNull() ? null : Duration.ofMillis(grace));
    }

    /** Labels as {@code key=value}; a key has no equals sign. */
    static @Nullable List<String> labels(Map<String, String> labels) {
        if (labels.isEmpty()) {
            return null;
        }
        var pairs = new ArrayList<String>(labels.size());
        labels.forEach((key, value) -> pairs.add(key + "=" + value));
        return pairs;
    }

    static Map<String, String> labels(ResultSet row, int column) throws SQLException {
        Array array = row.getArray(column);
        if (array == null) {
            return Map.of();
        }
        var labels = new TreeMap<String, String>();
        for (String pair : (String[]) array.getArray()) {
            int equals = pair.indexOf('=');
            labels.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return labels;
    }

    private static JobSpec spec(ResultSet row, Instant runAt, int[] columns) throws SQLException {
        String scheduleKey = row.getString(columns[12]);
        return new JobSpec(
                new JobId(uuid(row, columns[0])),
                new DefinitionRef(row.getString(columns[1]), row.getInt(columns[2])),
                row.getString(columns[5]),
                row.getString(columns[3]),
                -row.getInt(columns[4]),
                RunTime.at(runAt),
                row.getInt(columns[6]),
                Duration.ofSeconds(row.getInt(columns[7])),
                row.getString(columns[8]),
                null,
                row.getString(columns[9]),
                labels(row, columns[10]),
                false,
                row.getString(columns[11]),
                scheduleKey == null ? null : new ScheduleFire(scheduleKey, instantOf(row, columns[13])),
                row.getString(columns[14]),
                null,
                row.getString(columns[15]),
                false);
    }
}
