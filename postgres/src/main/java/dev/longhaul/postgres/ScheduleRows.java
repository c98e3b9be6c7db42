package dev.longhaul.postgres;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Cron;
import dev.longhaul.schedule.CronExpression;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns rows into schedules and fires, and schedules into parameters. */
final class ScheduleRows {
    private ScheduleRows() {}

    /** A schedule and the clock of the statement that read it. */
    record Read(Schedule schedule, Instant now) {}

    /** A row of {@code longhaul.schedule}, followed by the clock. */
    static Read schedule(ResultSet row) throws SQLException {
        Instant pausedAt = at(row, "paused_at");
        UUID lastJob = row.getObject("last_job_id", UUID.class);
        var schedule = new Schedule(
                spec(row),
                pausedAt == null ? null : new Pause(pausedAt, row.getString("paused_by"), row.getString("paused_note")),
                Call.instantOf(row, row.findColumn("created_at")),
                Call.instantOf(row, row.findColumn("updated_at")),
                row.getLong("runs"),
                at(row, "last_fire_at"),
                lastJob == null ? null : new JobId(lastJob),
                at(row, "next_fire_at"),
                row.getLong("version"));
        return new Read(schedule, Call.instantOf(row, row.findColumn("clock")));
    }

    private static ScheduleSpec spec(ResultSet row) throws SQLException {
        var job = new JobTemplate(
                new DefinitionRef(row.getString("definition_key"), row.getInt("definition_version")),
                row.getString("params"),
                row.getString("queue"),
                -row.getInt("rank"),
                row.getInt("max_attempts"),
                Duration.ofSeconds(row.getInt("timeout_seconds")),
                row.getString("name"),
                Rows.labels(row, row.findColumn("labels")),
                row.getString("secrets"));
        int maxRuns = row.getInt("max_runs");
        var timetable = new Timetable(
                timing(row),
                at(row, "start_at"),
                at(row, "end_at"),
                maxRuns == 0 ? null : maxRuns,
                Duration.ofSeconds(row.getInt("jitter_seconds")));
        var catchUp = new CatchUp(
                CatchUp.Policy.valueOf(row.getString("catch_up")),
                row.getInt("catch_up_max"),
                Duration.ofSeconds(row.getInt("catch_up_window_seconds")));
        return new ScheduleSpec(
                row.getString("key"), job, timetable, catchUp, Overlap.valueOf(row.getString("overlap")));
    }

    private static Timing timing(ResultSet row) throws SQLException {
        String cron = row.getString("cron");
        if (cron != null) {
            return new Cron(
                    CronExpression.parse(cron), row.getString("time_zone"), Cron.Dst.valueOf(row.getString("dst")));
        }
        Instant anchor = at(row, "anchor");
        if (anchor != null) {
            return Timing.every(Duration.ofSeconds(row.getInt("every_seconds")), anchor);
        }
        Timestamp[] times = (Timestamp[]) row.getArray("fire_times").getArray();
        return new Timing.At(Arrays.stream(times).map(Timestamp::toInstant).toList());
    }

    static Call bind(Call call, Schedule schedule) throws SQLException {
        Pause pause = schedule.pause();
        JobId lastJob = schedule.lastJobId();
        call.set("key", schedule.key())
                .set("createdAt", schedule.createdAt())
                .set("updatedAt", schedule.updatedAt())
                .set("nextFireAt", schedule.nextRunAt())
                .set("version", (Long) schedule.version())
                .set("runs", (Long) schedule.runs())
                .set("lastFireAt", schedule.lastRunAt())
                .set("lastJobId", lastJob == null ? null : lastJob.value())
                .set("pausedAt", pause == null ? null : pause.since())
                .set("pausedBy", pause == null ? null : pause.by())
                .set("pausedNote", pause == null ? null : pause.note());
        ScheduleSpec spec = schedule.spec();
        bind(call, spec.job());
        bind(call, spec.timetable());
        return call.set("catchUp", spec.catchUp().policy().name())
                .set("catchUpMax", (Integer) spec.catchUp().max())
                .set("catchUpWindow", (Integer) (int) spec.catchUp().window().toSeconds())
                .set("overlap", spec.overlap().name());
    }

    private static void bind(Call call, JobTemplate job) throws SQLException {
        call.set("definitionKey", job.definition().key())
                .set("definitionVersion", (Integer) job.definition().version())
                .set("timeout", (Integer) (int) job.timeout().toSeconds())
                .set("rank", (Integer) (-job.priority()))
                .set("maxAttempts", (Integer) job.maxAttempts())
                .set("queue", job.queue())
                .set("params", job.params())
                .set("name", job.name())
                .texts("labels", Rows.labels(job.labels()))
                .set("secrets", job.secrets());
    }

    private static void bind(Call call, Timetable timetable) throws SQLException {
        Cron cron = timetable.timing() instanceof Cron given ? given : null;
        Timing.Every every = timetable.timing() instanceof Timing.Every given ? given : null;
        List<Instant> times = timetable.timing() instanceof Timing.At given ? given.instants() : null;
        call.set("cron", cron == null ? null : cron.expression().toString())
                .set("timeZone", cron == null ? null : cron.zone())
                .set("dst", cron == null ? null : cron.dst().name())
                .set(
                        "everySeconds",
                        every == null ? null : (Integer) (int) every.period().toSeconds())
                .set("anchor", every == null ? null : every.anchor())
                .instants("fireTimes", times)
                .set("startAt", timetable.start())
                .set("endAt", timetable.end())
                .set("maxRuns", timetable.maxRuns())
                .set("jitter", (Integer) (int) timetable.jitter().toSeconds());
    }

    /** A row of {@code fires.sql}. */
    static Fire fire(ResultSet row) throws SQLException {
        UUID job = row.getObject(4, UUID.class);
        return new Fire(
                row.getString(1),
                Call.instantOf(row, 2),
                Fire.Cause.ofCode(row.getInt(5)),
                Fire.Outcome.ofCode(row.getInt(6)),
                Call.instantOf(row, 3),
                job == null ? null : new JobId(job));
    }

    private static @Nullable Instant at(ResultSet row, String column) throws SQLException {
        return Call.instant(row, row.findColumn(column));
    }
}
