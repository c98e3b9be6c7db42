package dev.longhaul.postgres.job;

import dev.longhaul.internal.text.Times;
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
import dev.longhaul.job.RunAt;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.Tally;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.spi.Inserted;
import dev.longhaul.work.ClaimedJob;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns rows into jobs and claims, and binds claims. */
public final class Rows {
    private Rows() {}

    /** Sorts claims by id, so that two batches lock their rows in the same order. */
    public static List<Claim> sorted(List<Claim> claims) {
        return claims.stream().sorted(Comparator.comparing(Claim::jobId)).toList();
    }

    /** The claim in the columns id, run and lease_key. */
    public static Claim claim(Row row) throws SQLException {
        return new Claim(new JobId(row.uuid("id")), row.integer("run"), row.uuid("lease_key"));
    }

    public static Call bindClaims(Call call, List<Claim> claims) throws SQLException {
        return call.uuids(
                        "ids",
                        claims.stream().map(claim -> claim.jobId().value()).toList())
                .ints("runs", claims.stream().map(Claim::run).toList())
                .uuids("keys", claims.stream().map(Claim::key).toList());
    }

    /** @param definitions those whose jobs are included; null for all */
    public static Call bindDefinitions(Call call, @Nullable Set<DefinitionRef> definitions) throws SQLException {
        List<DefinitionRef> known = definitions == null ? List.of() : List.copyOf(definitions);
        return call.set("anyDefinition", definitions == null)
                .texts("keys", known.stream().map(DefinitionRef::key).toList())
                .ints("versions", known.stream().map(DefinitionRef::version).toList());
    }

    /** A row with the columns of the view {@code longhaul.job} and the clock. */
    public static Job job(Row row) throws SQLException {
        JobState state = JobState.ofCode(row.integer("state"));
        Tally tally = tally(row);
        Instant runAt = row.instant("run_at");
        var times = new Times(
                row.instant("created_at"),
                row.instant("updated_at"),
                runAt,
                row.instantOrNull("started_at"),
                row.instantOrNull("finished_at"));
        Instant leaseUntil = row.instantOrNull("lease_until");
        return new Job(
                spec(row, runAt),
                JobStatus.of(state, runAt, tally.attempts(), row.instant("now")),
                times,
                tally,
                new Progress(row.integer("progress"), row.textOrNull("progress_message")),
                leaseUntil == null
                        ? null
                        : new Lease(row.text("worker_id"), leaseUntil, row.instantOrNull("heartbeat_at")),
                cancelRequest(row),
                failure(row),
                row.textOrNull("result"));
    }

    /** A row of {@code claim.sql} or {@code claim_one.sql}. */
    public static ClaimedJob claimed(Row row, UUID batch, String workerId) throws SQLException {
        Instant runAt = row.instant("run_at");
        Instant startedAt = row.instant("started_at");
        JobSpec spec = spec(row, runAt);
        Tally tally = tally(row);
        var job = new Job(
                spec,
                JobStatus.RUNNING,
                new Times(row.instant("created_at"), startedAt, runAt, startedAt, null),
                tally,
                Progress.NONE,
                new Lease(workerId, row.instant("lease_until"), null),
                null,
                failure(row),
                null);
        return new ClaimedJob(new Claim(spec.id(), tally.run(), batch), job, begin(spec, row));
    }

    /** How the begin of a claimed run is recorded. */
    public static ClaimedJob.Begin begin(JobSpec spec, Row row) throws SQLException {
        if (row.flag("begun")) {
            return ClaimedJob.Begin.STORED;
        }
        boolean first = spec.maxAttempts() == 1 || row.flag("begin_first");
        return first ? ClaimedJob.Begin.FIRST : ClaimedJob.Begin.SOON;
    }

    public static @Nullable Failure failure(Row row) throws SQLException {
        String code = row.textOrNull("error_code");
        return code == null
                ? null
                : new Failure(
                        code, row.text("error_message"), row.textOrNull("error_type"), row.textOrNull("error_stack"));
    }

    public static @Nullable CancelRequest cancelRequest(Row row) throws SQLException {
        Instant at = row.instantOrNull("cancel_requested_at");
        if (at == null) {
            return null;
        }
        Long grace = row.bigintOrNull("cancel_grace_millis");
        return new CancelRequest(at, row.textOrNull("cancel_reason"), grace == null ? null : Duration.ofMillis(grace));
    }

    /** Labels as {@code key=value}, the format {@link Row#labels} reads; null when there are none. */
    public static @Nullable List<String> labels(Map<String, String> labels) {
        if (labels.isEmpty()) {
            return null;
        }
        var pairs = new ArrayList<String>(labels.size());
        labels.forEach((key, value) -> pairs.add(key + "=" + value));
        return pairs;
    }

    private static Tally tally(Row row) throws SQLException {
        return new Tally(row.integer("run"), row.integer("attempts"), row.integer("crashes"));
    }

    private static JobSpec spec(Row row, Instant runAt) throws SQLException {
        String scheduleKey = row.textOrNull("schedule_key");
        return new JobSpec(
                new JobId(row.uuid("id")),
                new DefinitionRef(row.text("definition_key"), row.integer("definition_version")),
                row.text("params"),
                row.text("queue"),
                -row.integer("rank"),
                RunAt.at(runAt),
                row.integer("max_attempts"),
                Duration.ofSeconds(row.integer("timeout_seconds")),
                row.textOrNull("name"),
                null,
                row.textOrNull("correlation_id"),
                row.labels("labels"),
                false,
                row.textOrNull("created_by"),
                scheduleKey == null ? null : new ScheduleFire(scheduleKey, row.instant("fire_at")),
                row.textOrNull("traceparent"),
                null,
                row.textOrNull("secrets"),
                false);
    }

    /** The stored job of a spec. */
    static Inserted inserted(JobSpec spec, Instant now) {
        return new Inserted(Job.of(spec, now), true);
    }
}
