package dev.longhaul.spi;

import dev.longhaul.job.JobId;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Firing;
import dev.longhaul.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The leader's port to schedules: fires those that are due, and finds held jobs of earlier fires. */
public interface ScheduleFires {
    /** Schedules whose next fire time has come, longest due first, with the time of the store's clock. */
    Due due(int max);

    /** Time until the next schedule is due; zero if one is due now, empty if none ever will be. */
    Optional<Duration> untilNextDue();

    /**
     * Fires schedules. The fires of a schedule, their jobs and its next fire time are one commit. Skips a schedule that has changed
     * since it was read, and all of them if another process is the leader.
     */
    Fired fire(Leadership leadership, List<Firing> firings);

    /**
     * A page of the jobs that are held until jobs of earlier fires of their schedule have ended, earliest fire time first.
     *
     * @param after the last job of the page before
     */
    List<HeldJob> held(@Nullable HeldJob after, int max);

    /** Schedules that are due at {@code now}. */
    record Due(List<Schedule> schedules, Instant now) {}

    /**
     * The result of firing.
     *
     * @param schedules how many schedules advanced to their next fire time
     */
    record Fired(int schedules, List<Fire> fires) {
        public static final Fired NOTHING = new Fired(0, List.of());
    }

    /**
     * A job that is held until jobs of earlier fires have ended.
     *
     * @param cancels whether the schedule cancels those jobs
     * @param ahead the jobs of earlier fires that have not ended
     */
    record HeldJob(JobId id, ScheduleFire fire, boolean cancels, List<JobId> ahead) {}
}
