package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Caller;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.usecase.Schedules;
import dev.longhaul.usecase.WhyWaiting;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes schedules and their fires as JSON, with the fields that the caller's role may see. */
final class ScheduleJson {
    private final Schedules schedules;
    private final JobJson jobs;

    ScheduleJson(Schedules schedules, JobJson jobs) {
        this.schedules = schedules;
        this.jobs = jobs;
    }

    void write(Answer out, Schedule schedule, Caller caller) {
        out.object(() -> fields(out, schedule, caller));
    }

    /** Writes the schedule, and a warning if no active worker runs its jobs. */
    void write(Answer out, Schedule schedule, Caller caller, List<KnownWorker> workers) {
        out.object(() -> {
            fields(out, schedule, caller);
            warning(out, schedule, workers);
        });
    }

    static void warning(Answer out, Schedule schedule, List<KnownWorker> workers) {
        JobTemplate job = schedule.spec().job();
        out.text(
                "warning",
                schedule.nextRunAt() == null ? null : WhyWaiting.missingWorker(job.definition(), job.queue(), workers));
    }

    void fields(Answer out, Schedule schedule, Caller caller) {
        JobTemplate job = schedule.spec().job();
        out.text("key", schedule.key());
        out.text("name", job.name());
        out.text("definitionKey", job.definition().key());
        out.number("definitionVersion", job.definition().version());
        out.text("queue", job.queue());
        out.number("priority", job.priority());
        out.number("maxAttempts", job.maxAttempts());
        out.map("labels", job.labels());
        if (caller.may(Role.OPERATOR)) {
            out.json("params", schedules.paramsToShow(schedule));
        }
        timetable(out, schedule.spec().timetable());
        CatchUp catchUp = schedule.spec().catchUp();
        out.object("catchUp", () -> {
            out.text("policy", wire(catchUp.policy()));
            out.number("max", catchUp.max());
            out.number("windowSeconds", catchUp.window().toSeconds());
        });
        out.text("overlap", schedule.spec().overlap().wireName());
        out.flag("enabled", schedule.enabled());
        pause(out, schedule.pause());
        out.time("nextRunAt", schedule.nextRunAt());
        out.time("lastRunAt", schedule.lastRunAt());
        JobId last = schedule.lastJobId();
        out.text("lastJobId", last == null ? null : last.toString());
        out.number("runs", schedule.runs());
        out.time("createdAt", schedule.createdAt());
        out.time("updatedAt", schedule.updatedAt());
    }

    private static void timetable(Answer out, Timetable timetable) {
        Timing timing = timetable.timing();
        if (timing instanceof Cron cron) {
            out.text("cron", cron.expression().toString());
            out.text("timeZone", cron.zone());
            out.text("dst", wire(cron.dst()));
        } else if (timing instanceof Timing.Every every) {
            out.number("everySeconds", every.period().toSeconds());
        } else if (timing instanceof Timing.At at) {
            times(out, "at", at.instants());
        }
        out.text("description", timing.describe());
        out.time("startAt", timetable.start());
        out.time("endAt", timetable.end());
        out.number("maxRuns", timetable.maxRuns());
        out.number("jitterSeconds", timetable.jitter().toSeconds());
    }

    private static void pause(Answer out, @Nullable Pause pause) {
        if (pause != null) {
            out.object("pause", () -> {
                out.time("since", pause.since());
                out.text("by", pause.by());
                out.text("note", pause.note());
            });
        }
    }

    static void times(Answer out, String name, List<Instant> times) {
        out.texts(name, times.stream().map(Instant::toString).toList());
    }

    void write(Answer out, PastFire past, Caller caller) {
        out.object(() -> {
            fields(out, past.fire());
            Job job = past.job();
            if (job != null) {
                out.field("job", () -> jobs.writeBrief(out, job, JobJson.View.of(caller)));
            }
        });
    }

    static void write(Answer out, Fire fire) {
        out.object(() -> fields(out, fire));
    }

    private static void fields(Answer out, Fire fire) {
        out.time("fireAt", fire.fireAt());
        out.text("cause", fire.cause().wireName());
        out.text("outcome", fire.outcome().wireName());
        out.time("firedAt", fire.firedAt());
        JobId job = fire.jobId();
        out.text("jobId", job == null ? null : job.toString());
    }

    /** Returns the JSON name of an enum value. */
    static String wire(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
