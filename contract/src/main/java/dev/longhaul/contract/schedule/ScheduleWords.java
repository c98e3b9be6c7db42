package dev.longhaul.contract.schedule;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.ScheduleFires.Pass;
import dev.longhaul.spi.ScheduleStore;
import java.time.Duration;
import java.util.List;

/** Helper methods of the contract for schedules. */
public abstract class ScheduleWords extends StoreContract {
    public final ScheduleStore schedules() {
        return store().schedules();
    }

    public final ScheduleFires scheduleFires() {
        return store().scheduleFires();
    }

    final JobTemplate aTemplate() {
        return JobTemplate.of(aJob().build());
    }

    public final ScheduleSpec spec(String key, Timing timing) {
        return new ScheduleSpec(key, aTemplate(), Timetable.of(timing), CatchUp.DEFAULT, Overlap.ALLOW);
    }

    /** Returns a schedule that fires every hour, for the first time in one hour. */
    public final ScheduleSpec hourly(String key) {
        return spec(key, Timing.every(HOUR, now().plus(HOUR)));
    }

    public final Schedule create(ScheduleSpec spec) {
        return schedules().create(spec, false, null);
    }

    public final Schedule schedule(String key) {
        return schedules().find(key).orElseThrow();
    }

    static ScheduleSpec with(ScheduleSpec spec, Timetable timetable) {
        return new ScheduleSpec(spec.key(), spec.job(), timetable, spec.catchUp(), spec.overlap());
    }

    public static ScheduleSpec with(ScheduleSpec spec, Overlap overlap) {
        return new ScheduleSpec(spec.key(), spec.job(), spec.timetable(), spec.catchUp(), overlap);
    }

    public static ScheduleSpec with(ScheduleSpec spec, JobSpec job) {
        return new ScheduleSpec(spec.key(), JobTemplate.of(job), spec.timetable(), spec.catchUp(), spec.overlap());
    }

    public final Pass fireDue() {
        return scheduleFires().fireDue(leader(), 500);
    }

    final boolean anyDue() {
        return scheduleFires().untilNextDue().filter(Duration::isZero).isPresent();
    }

    final List<Fire> fires(String key) {
        return schedules().fires(key, null, 500).stream().map(PastFire::fire).toList();
    }

    final List<Job> jobs() {
        return store().jobs()
                .list(JobQuery.where().order(JobQuery.Order.OLDEST).limit(500).build())
                .jobs();
    }

    static ScheduleFire fireOf(Job job) {
        return present(job.spec().schedule());
    }
}
