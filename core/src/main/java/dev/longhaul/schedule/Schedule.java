package dev.longhaul.schedule;

import dev.longhaul.job.JobId;
import dev.longhaul.queue.Pause;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as a store showed it at one moment. Each method is a step of its life and answers how it is afterwards; stores take
 * the steps under a lock, so that all of them keep the same rules.
 *
 * @param pause null while it is enabled
 * @param runs how many of its fires made a job; those that somebody asked for do not count
 * @param lastRunAt the last fire time that made a job; one that somebody asked for counts, a backfill does not
 * @param nextRunAt null while it is paused, and when it will never fire again
 * @param version rises with every step: a leader that saw an earlier one changes nothing
 */
public record Schedule(
        ScheduleSpec spec,
        @Nullable Pause pause,
        Instant createdAt,
        Instant updatedAt,
        long runs,
        @Nullable Instant lastRunAt,
        @Nullable JobId lastJobId,
        @Nullable Instant nextRunAt,
        long version) {

    public String key() {
        return spec.key();
    }

    public boolean enabled() {
        return pause == null;
    }

    /** A new one; refused if it would never fire. */
    public static Schedule created(ScheduleSpec spec, @Nullable Pause pause, Instant now) {
        spec.timetable().firstAfter(now);
        return started(spec, pause, now);
    }

    private static Schedule started(ScheduleSpec spec, @Nullable Pause pause, Instant now) {
        Instant first = pause == null ? upcoming(spec.timetable(), 0, now) : null;
        return new Schedule(spec, pause, now, now, 0, null, null, first, 1);
    }

    /**
     * What it becomes when code says what it wants it to be. A pause stays, for the operator who set it knows why. So does what a
     * newer version of the code said: during a deploy the older one may start once more. Code that asks for times that have
     * all passed must start all the same.
     *
     * @param before null if there is none yet
     * @param pause what a new one begins with; null if it is enabled
     */
    public static Schedule upserted(
            @Nullable Schedule before, ScheduleSpec wanted, @Nullable Pause pause, Instant now) {
        if (before == null) {
            return started(wanted, pause, now);
        }
        var has = before.spec.job().definition();
        var wants = wanted.job().definition();
        boolean older = has.key().equals(wants.key()) && has.version() > wants.version();
        return older || before.spec.equals(wanted) ? before : before.to(wanted, before.pause, now);
    }

    /**
     * With other contents; refused if it would never fire any more because of that.
     *
     * @param enable null leaves it paused or not, as it is
     * @param by who pauses it, if this does
     */
    public Schedule edited(ScheduleSpec wanted, @Nullable Boolean enable, @Nullable String by, Instant now) {
        if (!wanted.timetable().equals(spec.timetable()) && wanted.timetable().runsLeft(runs) > 0) {
            wanted.timetable().firstAfter(now);
        }
        boolean fires = enable == null ? enabled() : enable;
        if (fires == enabled()) {
            return wanted.equals(spec) ? this : to(wanted, pause, now);
        }
        return to(wanted, fires ? null : new Pause(now, by, null), now);
    }

    public Schedule paused(Pause since) {
        return to(spec, since, since.since());
    }

    /** Goes on with the next fire time after now: what was due during the pause is not made up for. */
    public Schedule resumed(Instant now) {
        return enabled() ? this : to(spec, null, now);
    }

    private Schedule to(ScheduleSpec wanted, @Nullable Pause nextPause, Instant now) {
        Instant next = nextPause == null ? nextOf(wanted.timetable(), now) : null;
        return new Schedule(wanted, nextPause, createdAt, now, runs, lastRunAt, lastJobId, next, version + 1);
    }

    /** A fire that is due stays due while the times stay as they are, so that an edit of something else cannot swallow it. */
    private @Nullable Instant nextOf(Timetable wanted, Instant now) {
        Timetable has = spec.timetable();
        boolean sameTimes = wanted.timing().equals(has.timing()) && Objects.equals(wanted.start(), has.start());
        boolean stays = nextRunAt != null && sameTimes && wanted.reaches(nextRunAt) && wanted.runsLeft(runs) > 0;
        return stays ? nextRunAt : upcoming(wanted, runs, now);
    }

    private static @Nullable Instant upcoming(Timetable timetable, long runs, Instant now) {
        return timetable.runsLeft(runs) > 0 ? timetable.nextAfter(now).orElse(null) : null;
    }

    /** What it is to do at {@code now}; empty while nothing is due. */
    public Optional<Firing> dueAt(Instant now) {
        Instant due = nextRunAt;
        if (due == null || due.isAfter(now)) {
            return Optional.empty();
        }
        // The fire time itself is the first that has not happened.
        List<Instant> fires = spec.catchUp().due(spec.timetable(), due.minusNanos(1), now, runs);
        Instant next = spec.timetable().nextAfter(now).orElse(null);
        return Optional.of(new Firing(this, fires, next));
    }

    /** After these fires, which came by themselves. Fires that made no job leave the number of runs as it is. */
    public Schedule fired(List<Fire> fires, @Nullable Instant next) {
        List<Fire> made = fires.stream()
                .filter(fire -> fire.outcome() == Fire.Outcome.CREATED)
                .toList();
        long runsNow = runs + made.size();
        Fire last = made.isEmpty() ? null : made.get(made.size() - 1);
        return new Schedule(
                spec,
                pause,
                createdAt,
                updatedAt,
                runsNow,
                last == null ? lastRunAt : last.fireAt(),
                last == null ? lastJobId : last.jobId(),
                spec.timetable().runsLeft(runsNow) > 0 ? next : null,
                version + 1);
    }

    /** After a fire that somebody asked for now; when it fires next stays as it is. */
    public Schedule triggered(Fire fire) {
        return new Schedule(
                spec, pause, createdAt, updatedAt, runs, fire.fireAt(), fire.jobId(), nextRunAt, version + 1);
    }
}
