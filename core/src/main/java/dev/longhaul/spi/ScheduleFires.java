package dev.longhaul.spi;

import dev.longhaul.job.JobId;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.schedule.Fire;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The leader's port to schedules: fires due schedules, and finds jobs that are held because of earlier fires. */
public interface ScheduleFires {
    /**
     * Fires schedules whose next fire time has come by the store's clock, longest due first. The fires of a schedule,
     * their jobs and its next fire time are one commit. Fires none if another process is the leader. A schedule that
     * is being changed, or whose time zone this process does not know, stays due.
     *
     * @param max how many schedules it fires at most; fewer if they have many fires to make up for
     */
    Pass fireDue(Leadership leadership, int max);

    /** Time until the next schedule is due; zero if one is due now, empty if none ever will be. */
    Optional<Duration> untilNextDue();

    /**
     * A page of the jobs that are held until jobs of earlier fires of their schedule have ended, earliest fire time
     * first.
     *
     * @param after the last job of the previous page
     */
    List<HeldJob> held(@Nullable HeldJob after, int max);

    /**
     * The result of {@link #fireDue}.
     *
     * @param schedules how many schedules advanced to their next fire time
     * @param unknownZones keys of due schedules whose time zone this process does not know
     */
    record Pass(int schedules, List<Fire> fires, List<String> unknownZones) {
        public static final Pass NOTHING = new Pass(0, List.of(), List.of());
    }

    /**
     * A job that is held until jobs of earlier fires have ended.
     *
     * @param cancels whether the schedule cancels those jobs
     * @param ahead the jobs of earlier fires that have not ended
     */
    record HeldJob(JobId id, ScheduleFire fire, boolean cancels, List<JobId> ahead) {}
}
