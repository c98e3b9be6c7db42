package dev.longhaul.schedule;

import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.queue.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as a store returned it at one moment. Each step of its life is a method that returns the schedule after it; stores take
 * the steps under a lock, so that all of them keep the same rules.
 *
 * @param pause null while it is enabled
 * @param runs how many of its fires created a job; requested fires do not count
 * @param lastRunAt the last fire time that created a job; a triggered one counts, a backfilled one does not
 * @param nextRunAt null while it is paused, and when it will never fire again
 * @param version rises with every step
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
    private static final long MOST_MISSED = 1000;

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

    /**
     * What a store knows of earlier fires when a schedule is due.
     *
     * @param fired fire times from the due one on that have fired already, because a caller requested them
     * @param going how many jobs of earlier fires wait or run
     * @param held how many are held until others have ended
     */
    public record Earlier(Set<Instant> fired, int going, int held) {}

    /** A fire to store, and its job; null if it creates none. */
    public record Planned(Fire fire, @Nullable JobSpec job) {
        /** The jobs of these fires. */
        public static List<JobSpec> jobs(List<Planned> plan) {
            return plan.stream().map(Planned::job).filter(Objects::nonNull).toList();
        }

        public static List<Fire> fires(List<Planned> plan) {
            return plan.stream().map(Planned::fire).toList();
        }
    }

    /**
     * Fire times that have come and do not happen.
     *
     * @param times how many, counted up to a thousand
     * @param madeUpFor how many happen instead
     */
    public record Missed(Instant first, int times, int madeUpFor) {}

    /** The fire times that are to happen at {@code now}, in order; none when what was missed is not made up for. */
    public List<Instant> dueAt(Instant now) {
        Instant due = nextRunAt;
        if (due == null || due.isAfter(now)) {
            return List.of();
        }
        // The fire time itself is the first that has not happened.
        return spec.timetable().due(spec.catchUp(), due.minusNanos(1), now, runs);
    }

    /** What is missed if only the fire times {@code due} happen at {@code now}. */
    public Optional<Missed> missed(List<Instant> due, Instant now) {
        Instant first = nextRunAt;
        if (first == null || due.contains(first)) {
            return Optional.empty();
        }
        int come = spec.timetable()
                .fires(first.minusNanos(1), now, MOST_MISSED + due.size())
                .size();
        int missed = come - due.size();
        return missed > 0 ? Optional.of(new Missed(first, missed, due.size())) : Optional.empty();
    }

    /** What comes of the fire times {@code due}, by the schedule's {@link Overlap}. */
    public List<Planned> plan(List<Instant> due, Earlier earlier, Instant now) {
        List<Instant> fresh =
                due.stream().filter(fire -> !earlier.fired().contains(fire)).toList();
        var plan = new ArrayList<Planned>();
        int waiting = earlier.held();
        boolean busy = earlier.going() + earlier.held() > 0;
        for (int i = 0; i < fresh.size(); i++) {
            boolean last = i == fresh.size() - 1;
            boolean createsJob = switch (spec.overlap()) {
                case ALLOW -> true;
                case SKIP -> !busy;
                case QUEUE_ONE -> waiting == 0;
                // Of several that are due at once, each would cancel the one before it.
                case CANCEL_PREVIOUS -> last;
            };
            boolean hold = busy && spec.overlap() != Overlap.ALLOW;
            Instant fireAt = fresh.get(i);
            plan.add(
                    createsJob
                            ? planned(Fire.Cause.SCHEDULED, spec.jobOf(fireAt, hold), now)
                            : without(fireAt, Fire.Outcome.SKIPPED, now));
            waiting += createsJob && hold ? 1 : 0;
            busy |= createsJob;
        }
        return plan;
    }

    /** The same without jobs, because the store refuses them. */
    public List<Planned> planRefused(List<Instant> due, Earlier earlier, Instant now) {
        return due.stream()
                .filter(fire -> !earlier.fired().contains(fire))
                .map(fire -> without(fire, Fire.Outcome.REFUSED, now))
                .toList();
    }

    /** A fire that a caller requests, whatever the schedule's {@link Overlap}. */
    public Planned planRequested(Fire.Cause cause, Instant fireAt, Instant runAt, @Nullable String by, Instant now) {
        return planned(cause, spec.jobOf(fireAt, runAt, by), now);
    }

    /** The job gets an id of the store's time if this machine's clock is far from that. */
    private Planned planned(Fire.Cause cause, JobSpec job, Instant now) {
        Duration off = Duration.between(job.id().madeAt(), now).abs();
        JobSpec onClock = off.compareTo(Limits.CLOCK_SKEW.dividedBy(2)) < 0
                ? job
                : job.toBuilder()
                        .id(new JobId(new Uuid7(now::toEpochMilli).next()))
                        .build();
        Instant fireAt = Objects.requireNonNull(job.schedule()).fireAt();
        return new Planned(new Fire(key(), fireAt, cause, Fire.Outcome.CREATED, now, onClock.id()), onClock);
    }

    private Planned without(Instant fireAt, Fire.Outcome outcome, Instant now) {
        return new Planned(new Fire(key(), fireAt, Fire.Cause.SCHEDULED, outcome, now, null), null);
    }

    /** After the fires that were due at {@code now}. Fires that created no job leave the number of runs as it is. */
    public Schedule fired(List<Fire> fires, Instant now) {
        List<Fire> created = fires.stream()
                .filter(fire -> fire.outcome() == Fire.Outcome.CREATED)
                .toList();
        long runsNow = runs + created.size();
        Fire last = created.isEmpty() ? null : created.get(created.size() - 1);
        return new Schedule(
                spec,
                pause,
                createdAt,
                updatedAt,
                runsNow,
                last == null ? lastRunAt : last.fireAt(),
                last == null ? lastJobId : last.jobId(),
                upcoming(spec.timetable(), runsNow, now),
                version + 1);
    }

    /** After a triggered fire; the next fire time stays. */
    public Schedule triggered(Fire fire) {
        return new Schedule(
                spec, pause, createdAt, updatedAt, runs, fire.fireAt(), fire.jobId(), nextRunAt, version + 1);
    }
}
