package dev.longhaul.engine.upkeep;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Firing;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.ScheduleFires.Due;
import dev.longhaul.spi.ScheduleFires.Fired;
import dev.longhaul.spi.ScheduleFires.HeldJob;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires schedules whose time has come, and lets go of jobs that were held until earlier ones had ended. Sleeps until the next fire time;
 * the {@link Scheduler} wakes it when a schedule changes.
 */
public final class ScheduleFirer implements Duty {
    private static final Logger LOG = LoggerFactory.getLogger(ScheduleFirer.class);

    /** Wake-ups are hints: a schedule that was made elsewhere is found this late at most, well before its fires count as missed. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** How soon whoever begins to lead notices, which costs no look at the store. */
    private static final Duration NOT_LEADING = Duration.ofMillis(100);
    /** What is due while the store is away is late anyway. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    /** How soon after an earlier job's end a held one begins. */
    private static final Duration HELD = Duration.ofMillis(500);
    /** How long a process leads at most that does not stay. */
    private static final Duration ONE_PASS = Duration.ofSeconds(30);
    /** When a schedule was changed while it was being fired. */
    private static final Duration AGAIN = Duration.ofMillis(20);

    private static final int BATCH = 500;
    private static final int MOST_STILL_DUE = 6;

    private final JobStore jobs;
    private final ScheduleFires schedules;
    private final Leader leader;
    /** Schedules that this process cannot fire; told of once each. */
    private final Set<String> unknownZones = new HashSet<>();

    private int stillDue;
    private volatile Duration pause = Duration.ZERO;

    public ScheduleFirer(ScheduleFires schedules, JobStore jobs, Leader leader) {
        this.schedules = schedules;
        this.jobs = jobs;
        this.leader = leader;
    }

    @Override
    public String name() {
        return "schedule-firer";
    }

    @Override
    public Duration interval() {
        return LONGEST_PAUSE;
    }

    /** Until the next fire time, not a fixed tick. */
    @Override
    public Duration pause() {
        return pause;
    }

    @Override
    public void runOnce(Instant now) {
        Optional<Leadership> leadership = leader.current();
        pause = leadership.isEmpty() ? NOT_LEADING : AFTER_FAILURE;
        leadership.ifPresent(leads -> {
            boolean allFired = fireDue(leads).all();
            boolean anyHeld = letGo();
            Duration next = schedules.untilNextDue().orElse(LONGEST_PAUSE);
            pause = shorter(atLeast(next), allFired ? anyHeld ? HELD : LONGEST_PAUSE : AGAIN);
        });
    }

    /**
     * One pass of a process that does not stay. It leads for as long as that takes, if nobody else does. Answers how many fires
     * made a job.
     */
    public static int passOf(Store store, String holder, Duration lease) {
        Optional<Leadership> leadership = store.upkeep().lead(holder, ONE_PASS, lease);
        if (leadership.isEmpty()) {
            return 0;
        }
        try {
            var firer =
                    new ScheduleFirer(store.scheduleFires(), store.jobs(), new Leader(store.upkeep(), holder, lease));
            int jobs = firer.fireDue(leadership.get()).jobs();
            firer.letGo();
            return jobs;
        } finally {
            store.upkeep().resign(leadership.get());
        }
    }

    /**
     * What a pass did.
     *
     * @param jobs how many jobs it made
     * @param all whether all went on that were due; if not, somebody else leads or has changed them
     */
    private record Pass(int jobs, boolean all) {}

    private Pass fireDue(Leadership leadership) {
        int jobs = 0;
        while (true) {
            Due due = schedules.due(BATCH);
            List<Firing> firings = due.schedules().stream()
                    .flatMap(schedule -> firing(schedule, due.now()).stream())
                    .toList();
            if (firings.isEmpty()) {
                return new Pass(jobs, true);
            }
            for (List<Firing> some : portions(firings)) {
                Fired fired = schedules.fire(leadership, some);
                fired.fires().forEach(ScheduleFirer::log);
                jobs += (int) fired.fires().stream()
                        .filter(fire -> fire.jobId() != null)
                        .count();
                if (fired.schedules() < some.size()) {
                    return new Pass(jobs, false);
                }
            }
        }
    }

    /** One whose zone the Java of this process does not know must not keep the others from firing. */
    private Optional<Firing> firing(Schedule schedule, Instant now) {
        try {
            return schedule.dueAt(now);
        } catch (LonghaulException e) {
            if (unknownZones.add(schedule.key())) {
                LOG.error("schedule {} is due and cannot be fired: {}", schedule.key(), e.getMessage());
            }
            return Optional.empty();
        }
    }

    /** So many fires at a time that a commit stays short: after downtime, one schedule may have a thousand to make up for. */
    private static List<List<Firing>> portions(List<Firing> firings) {
        var portions = new ArrayList<List<Firing>>();
        int fires = 0;
        int from = 0;
        for (int i = 0; i < firings.size(); i++) {
            int more = firings.get(i).fires().size();
            if (i > from && fires + more > BATCH) {
                portions.add(firings.subList(from, i));
                from = i;
                fires = 0;
            }
            fires += more;
        }
        portions.add(firings.subList(from, firings.size()));
        return portions;
    }

    private static void log(Fire fire) {
        if (fire.outcome() == Fire.Outcome.REFUSED) {
            LOG.warn("schedule {}: the job of {} was refused by the store", fire.scheduleKey(), fire.fireAt());
        } else {
            LOG.debug("schedule {}: {} {}", fire.scheduleKey(), fire.fireAt(), fire.outcome());
        }
    }

    /** Answers whether any is still held. */
    private boolean letGo() {
        boolean any = false;
        List<HeldJob> page = schedules.held(null, BATCH);
        while (!page.isEmpty()) {
            for (HeldJob job : page) {
                any |= !job.ahead().isEmpty();
                letGo(job);
            }
            page = page.size() < BATCH ? List.of() : schedules.held(page.get(BATCH - 1), BATCH);
        }
        return any;
    }

    private void letGo(HeldJob job) {
        if (job.ahead().isEmpty()) {
            attempt(job.id(), () -> jobs.execute(JobCommand.release(job.id(), null)));
        } else if (job.cancels()) {
            job.ahead().forEach(id -> attempt(id, () -> cancel(id, job)));
        }
    }

    private void cancel(JobId id, HeldJob inFavourOf) {
        String reason = "schedule " + inFavourOf.fire().scheduleKey() + " fired again: job " + inFavourOf.id();
        jobs.execute(JobCommand.cancel(id, null, reason, null));
    }

    /** A job that has moved on by itself, or by another leader's hand, needs nothing any more. */
    private static void attempt(JobId id, Runnable step) {
        try {
            step.run();
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.FAILED_PRECONDITION && e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            LOG.debug("job {} has moved on", id, e);
        }
    }

    /**
     * What is due by now is looked at again soon. If it stays due, this process cannot read it, because its Java does not know the
     * zone: then ever less often, so that the others still fire and this does not run without a pause.
     */
    private Duration atLeast(Duration next) {
        stillDue = next.isZero() ? Math.min(stillDue + 1, MOST_STILL_DUE) : 0;
        return next.isZero() ? AGAIN.multipliedBy(1L << (stillDue - 1)) : next;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
