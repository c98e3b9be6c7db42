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
 * A schedule as a store returned it at one moment. Each method that changes it returns the changed schedule. Stores
 * call these methods under a lock, so that every store follows the same rules.
 *
 * @param pause null while the schedule is enabled
 * @param runs how many of its fires created a job; requested fires do not count
 * @param lastRunAt the last fire time that created a job; a triggered one counts, a backfilled one does not
 * @param nextRunAt null while it is paused, and when it will never fire again
 * @param version rises with every change
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

    /** A new schedule; rejected if it would never fire. */
    public static Schedule created(ScheduleSpec spec, @Nullable Pause pause, Instant now) {
        spec.timetable().firstAfter(now);
        return started(spec, pause, now);
    }

    private static Schedule started(ScheduleSpec spec, @Nullable Pause pause, Instant now) {
        Instant first = pause == null ? upcoming(spec.timetable(), 0, now) : null;
        return new Schedule(spec, pause, now, now, 0, null, null, first, 1);
    }

    /**
     * The schedule after code has declared it. A pause stays, because an operator set it. So does a spec of a newer
     * version of the definition: during a deploy, a process with the older version may start again. A spec whose fire
     * times have all passed is accepted, so that the process can start.
     *
     * @param before null if there is none yet
     * @param pause the pause of a new schedule; null if it is enabled
     */
    public static Schedule upserted(
            @Nullable Schedule before, ScheduleSpec target, @Nullable Pause pause, Instant now) {
        if (before == null) {
            return started(target, pause, now);
        }
        var has = before.spec.job().definition();
        var declared = target.job().definition();
        boolean older = has.key().equals(declared.key()) && has.version() > declared.version();
        return older || before.spec.equals(target) ? before : before.to(target, before.pause, now);
    }

    /**
     * Returns the schedule with another spec; rejects a spec that would never fire.
     *
     * @param enable null keeps it paused or enabled
     * @param by who pauses it, if this edit does
     */
    public Schedule edited(ScheduleSpec target, @Nullable Boolean enable, @Nullable String by, Instant now) {
        if (!target.timetable().equals(spec.timetable()) && target.timetable().runsLeft(runs) > 0) {
            target.timetable().firstAfter(now);
        }
        boolean fires = enable == null ? enabled() : enable;
        if (fires == enabled()) {
            return target.equals(spec) ? this : to(target, pause, now);
        }
        return to(target, fires ? null : new Pause(now, by, null), now);
    }

    public Schedule paused(Pause since) {
        return to(spec, since, since.since());
    }

    /** Resumes at the next fire time after now: fires due during the pause are not made up for. */
    public Schedule resumed(Instant now) {
        return enabled() ? this : to(spec, null, now);
    }

    private Schedule to(ScheduleSpec target, @Nullable Pause nextPause, Instant now) {
        Instant next = nextPause == null ? nextOf(target.timetable(), now) : null;
        return new Schedule(target, nextPause, createdAt, now, runs, lastRunAt, lastJobId, next, version + 1);
    }

    /** A due fire stays due while the times are unchanged, so that an edit of another setting cannot drop it. */
    private @Nullable Instant nextOf(Timetable target, Instant now) {
        Timetable has = spec.timetable();
        boolean sameTimes = target.timing().equals(has.timing()) && Objects.equals(target.start(), has.start());
        boolean stays = nextRunAt != null && sameTimes && target.reaches(nextRunAt) && target.runsLeft(runs) > 0;
        return stays ? nextRunAt : upcoming(target, runs, now);
    }

    private static @Nullable Instant upcoming(Timetable timetable, long runs, Instant now) {
        return timetable.runsLeft(runs) > 0 ? timetable.nextAfter(now).orElse(null) : null;
    }

    /**
     * The earlier fires of a due schedule.
     *
     * @param fired fire times, at or after the due one, for which a requested fire has already happened
     * @param going how many jobs of earlier fires wait or run
     * @param held how many jobs of earlier fires are held until other jobs have ended
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
     * Missed fire times: they were due, but do not fire.
     *
     * @param times how many fire times were missed, counted up to a thousand
     * @param madeUpFor how many of the due fire times do fire
     */
    public record Missed(Instant first, int times, int madeUpFor) {}

    /**
     * The due fire times that fire at {@code now}, in order. Missed ones are included only as far as {@link CatchUp}
     * allows.
     */
    public List<Instant> dueAt(Instant now) {
        Instant due = nextRunAt;
        if (due == null || due.isAfter(now)) {
            return List.of();
        }
        // The due fire time itself has not fired yet, so the search starts just before it.
        return spec.timetable().due(spec.catchUp(), due.minusNanos(1), now, runs);
    }

    /** The due fire times that are missed if the schedule fires only at the times in {@code due}. */
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

    /** Plans the fires at the times {@code due}, and their jobs, by the schedule's {@link Overlap}. */
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
                // Only the last fire creates a job: each job would cancel the one before it.
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

    /** Plans the same fires without jobs, because the store rejects the jobs. */
    public List<Planned> planRefused(List<Instant> due, Earlier earlier, Instant now) {
        return due.stream()
                .filter(fire -> !earlier.fired().contains(fire))
                .map(fire -> without(fire, Fire.Outcome.REFUSED, now))
                .toList();
    }

    /** Plans a fire that a caller requests, whatever the schedule's {@link Overlap}. */
    public Planned planRequested(Fire.Cause cause, Instant fireAt, Instant runAt, @Nullable String by, Instant now) {
        return planned(cause, spec.jobOf(fireAt, runAt, by), now);
    }

    /** Uses the store's time for the job's id if this machine's clock is far from it. */
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

    /** The schedule after the fires that were due at {@code now}. Fires that created no job do not count as runs. */
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

    /** The schedule after backfilled fires; only its version changes. */
    public Schedule backfilled() {
        return new Schedule(spec, pause, createdAt, updatedAt, runs, lastRunAt, lastJobId, nextRunAt, version + 1);
    }

    /** The schedule after a triggered fire; the next fire time stays. */
    public Schedule triggered(Fire fire) {
        return new Schedule(
                spec, pause, createdAt, updatedAt, runs, fire.fireAt(), fire.jobId(), nextRunAt, version + 1);
    }
}
