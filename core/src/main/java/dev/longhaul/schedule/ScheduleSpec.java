package dev.longhaul.schedule;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.ScheduleFire;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The settings of a schedule, checked. Start with {@link dev.longhaul.NewSchedule}. */
public record ScheduleSpec(String key, JobTemplate job, Timetable timetable, CatchUp catchUp, Overlap overlap) {
    /** Reserved: the REST API uses it for previews of schedules that are not stored. */
    private static final String TAKEN = "preview";

    public ScheduleSpec {
        new Problems()
                .require(Names.valid(key), "key", key, Names.RULE)
                .require(!key.equals(TAKEN), "key", key, "another key: /v1/schedules/preview is reserved")
                .require(
                        timetable.jitter().toNanosPart() == 0,
                        "jitterSeconds",
                        timetable.jitter(),
                        "a whole number of seconds")
                .require(
                        catchUp.window().toNanosPart() == 0,
                        "catchUp.windowSeconds",
                        catchUp.window(),
                        "a whole number of seconds")
                .throwIfAny();
    }

    /** The job of a scheduled fire. */
    JobSpec jobOf(Instant fireAt, boolean hold) {
        return job.job(new ScheduleFire(key, fireAt), timetable.runAt(key, fireAt), hold, null);
    }

    /** The job of a requested fire. */
    public JobSpec jobOf(Instant fireAt, Instant runAt, @Nullable String by) {
        return job.job(new ScheduleFire(key, fireAt), runAt, false, by);
    }
}
