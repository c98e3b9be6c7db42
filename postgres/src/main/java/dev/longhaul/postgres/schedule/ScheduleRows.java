package dev.longhaul.postgres.schedule;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.job.Rows;
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
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Turns rows into schedules and fires, and schedules into parameters. */
final class ScheduleRows {
    private ScheduleRows() {}

    /** A schedule and the clock of the statement that read it. */
    record Read(Schedule schedule, Instant now) {}

    /** A row of {@code longhaul.schedule} with the clock. */
    static Read schedule(Row row) throws SQLException {
        Instant pausedAt = row.instantOrNull("paused_at");
        UUID lastJob = row.uuidOrNull("last_job_id");
        var schedule = new Schedule(
                spec(row),
                pausedAt == null
                        ? null
                        : new Pause(pausedAt, row.textOrNull("paused_by"), row.textOrNull("paused_note")),
                row.instant("created_at"),
                row.instant("updated_at"),
                row.bigint("runs"),
                row.instantOrNull("last_fire_at"),
                lastJob == null ? null : new JobId(lastJob),
                row.instantOrNull("next_fire_at"),
                row.bigint("version"));
        return new Read(schedule, row.instant("now"));
    }

    private static ScheduleSpec spec(Row row) throws SQLException {
        var job = new JobTemplate(
                new DefinitionRef(row.text("definition_key"), row.integer("definition_version")),
                row.text("params"),
                row.text("queue"),
                -row.integer("rank"),
                row.integer("max_attempts"),
                Duration.ofSeconds(row.integer("timeout_seconds")),
                row.textOrNull("name"),
                row.labels("labels"),
                row.textOrNull("secrets"));
        int maxRuns = row.integer("max_runs");
        var timetable = new Timetable(
                timing(row),
                row.instantOrNull("start_at"),
                row.instantOrNull("end_at"),
                maxRuns == 0 ? null : maxRuns,
                Duration.ofSeconds(row.integer("jitter_seconds")));
        var catchUp = new CatchUp(
                CatchUp.Policy.valueOf(row.text("catch_up")),
                row.integer("catch_up_max"),
                Duration.ofSeconds(row.integer("catch_up_window_seconds")));
        return new ScheduleSpec(row.text("key"), job, timetable, catchUp, Overlap.valueOf(row.text("overlap")));
    }

    private static Timing timing(Row row) throws SQLException {
        String cron = row.textOrNull("cron");
        if (cron != null) {
            return new Cron(CronExpression.parse(cron), row.text("time_zone"), Cron.Dst.valueOf(row.text("dst")));
        }
        Instant anchor = row.instantOrNull("anchor");
        if (anchor != null) {
            return Timing.every(Duration.ofSeconds(row.integer("every_seconds")), anchor);
        }
        Timestamp[] times = row.array("fire_times", Timestamp[].class);
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
    static Fire fire(Row row) throws SQLException {
        UUID job = row.uuidOrNull("job_id");
        return new Fire(
                row.text("schedule_key"),
                row.instant("fire_at"),
                Fire.Cause.ofCode(row.integer("cause")),
                Fire.Outcome.ofCode(row.integer("outcome")),
                row.instant("fired_at"),
                job == null ? null : new JobId(job));
    }
}
