package dev.longhaul.spi;

import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The port for people and code: schedules and their past fires. {@link ScheduleFires} is the leader's port. Every
 * change is one step of {@link Schedule}, under the schedule's lock, so that concurrent fires and edits run one after
 * the other. The store's clock decides about times.
 */
public interface ScheduleStore {
    /**
     * Stores a new schedule; rejects one whose key exists, or that would never fire.
     *
     * @param paused whether it is stored paused
     */
    Schedule create(ScheduleSpec spec, boolean paused, @Nullable String by);

    /**
     * Creates the schedule, or replaces the spec of an existing one, which keeps its pause.
     *
     * @param paused whether a new schedule is stored paused
     */
    Schedule upsert(ScheduleSpec spec, boolean paused);

    /**
     * Changes a schedule. Returns empty and changes nothing if its spec is no longer {@code before}.
     *
     * @param enabled whether the schedule is enabled afterwards; null keeps its state
     * @param by the caller's name, stored if this edit pauses the schedule
     */
    Optional<Schedule> edit(ScheduleSpec before, ScheduleSpec after, @Nullable Boolean enabled, @Nullable String by);

    /** Stops the schedule from firing. */
    Schedule pause(String key, @Nullable String by, @Nullable String note);

    /** Lets the schedule fire again, from now on. */
    Schedule resume(String key);

    /** Removes a schedule and its past fires; its jobs stay. */
    void delete(String key);

    Optional<Schedule> find(String key);

    /**
     * A page of schedules in the order of their keys.
     *
     * @param after the last key of the previous page
     */
    SchedulePage list(@Nullable String after, int limit);

    /**
     * Past fires of a schedule, latest fire time first.
     *
     * @param before the last fire time of the previous page
     */
    List<PastFire> fires(String key, @Nullable Instant before, int limit);

    /** Creates a job of the schedule now, even if the schedule is paused or has jobs running. */
    Fire trigger(String key, @Nullable String by);

    /**
     * Creates jobs for past fire times, except those that already created one.
     *
     * @param apart the time between the run times of two jobs; the first runs now
     */
    List<Fire> backfill(String key, List<Instant> fireTimes, Duration apart, @Nullable String by);

    /** Returns the pause of a new schedule; null if it is enabled. */
    static @Nullable Pause pauseOf(boolean paused, @Nullable String by, Instant now) {
        return paused ? new Pause(now, by, null) : null;
    }
}
