package dev.longhaul.spi;

import dev.longhaul.job.JobId;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Firing;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where schedules live, and what they have fired. Every change is one step of {@link Schedule}, taken under the schedule's lock, so
 * that a fire and an edit that meet come one after the other. Times are judged by the store's clock.
 */
public interface ScheduleStore {
    // For people and code

    /**
     * Stores a new schedule; one whose key is taken, or that would never fire, is refused.
     *
     * @param paused whether it waits for somebody to resume it
     */
    Schedule create(ScheduleSpec spec, boolean paused, @Nullable String by);

    /**
     * Makes the schedule what code says, whether or not there is one; a pause stays.
     *
     * @param paused whether a new one waits for somebody to resume it
     */
    Schedule upsert(ScheduleSpec spec, boolean paused);

    /**
     * Changes a schedule; empty, with nothing changed, if it no longer is as {@code before} says.
     *
     * @param enabled whether it fires afterwards; null leaves that as it is
     * @param by who pauses it, if this does
     */
    Optional<Schedule> edit(ScheduleSpec before, ScheduleSpec after, @Nullable Boolean enabled, @Nullable String by);

    /** Stops it from firing. */
    Schedule pause(String key, @Nullable String by, @Nullable String note);

    /** Lets it fire again, from now on. */
    Schedule resume(String key);

    /** Removes a schedule and what is known of its fires; its jobs stay. */
    void delete(String key);

    Optional<Schedule> find(String key);

    /**
     * A page of schedules in the order of their keys.
     *
     * @param after the last key of the page before
     */
    SchedulePage list(@Nullable String after, int limit);

    /**
     * What a schedule has fired, latest fire time first.
     *
     * @param before the last fire time of the page before
     */
    List<PastFire> fires(String key, @Nullable Instant before, int limit);

    /** Makes a job of the schedule now, also while it is paused, and whatever else it has running. */
    Fire trigger(String key, @Nullable String by);

    /**
     * Makes jobs for fire times that have passed; none for those that have made one already.
     *
     * @param apart how much later than the one before it each job runs, the first of them now
     */
    List<Fire> backfill(String key, List<Instant> fireTimes, Duration apart, @Nullable String by);

    // For whoever leads

    /** Schedules whose next fire time has come, longest due first, and the clock that this was judged by. */
    Due due(int max);

    /** How long until the next schedule is due; zero when one is, empty when none ever will be. */
    Optional<Duration> untilNextDue();

    /**
     * Fires schedules: what it wants of a schedule happens with its fires, their jobs and the next fire time in one commit, or not at all.
     * Not, if somebody else leads by now, or if the schedule is no longer as it was.
     */
    Fired fire(Leadership leadership, List<Firing> firings);

    /**
     * A page of the jobs that are held until earlier ones of their schedule have ended, earliest fire time first.
     *
     * @param after the last job of the page before
     */
    List<HeldJob> held(@Nullable HeldJob after, int max);

    /** Schedules that are due at {@code now}. */
    record Due(List<Schedule> schedules, Instant now) {}

    /**
     * What came of firing.
     *
     * @param schedules how many schedules went on to their next fire time
     */
    record Fired(int schedules, List<Fire> fires) {
        public static final Fired NOTHING = new Fired(0, List.of());
    }

    /**
     * A job that waits for others.
     *
     * @param cancels whether those are to be cancelled
     * @param ahead the jobs of earlier fires that have not ended
     */
    record HeldJob(JobId id, ScheduleFire fire, boolean cancels, List<JobId> ahead) {}

    /** The pause of a schedule that is stored without being enabled. */
    static @Nullable Pause pauseOf(boolean paused, @Nullable String by, Instant now) {
        return paused ? new Pause(now, by, null) : null;
    }
}
