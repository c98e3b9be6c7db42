package dev.longhaul.engine.upkeep;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import dev.longhaul.schedule.Fire;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.ScheduleFires.HeldJob;
import dev.longhaul.spi.ScheduleFires.Pass;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires due schedules, and releases jobs that were held until earlier ones had ended. Sleeps until the next fire time,
 * or until a schedule changes.
 */
public final class ScheduleFirer implements MaintenanceTask {
    private static final Logger LOG = LoggerFactory.getLogger(ScheduleFirer.class);

    /**
     * Signals may be lost: a schedule created elsewhere is found after at most this time, well before its fires count
     * as missed.
     */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** Interval in which a new leader notices that it leads; costs no store query. */
    private static final Duration NOT_LEADING = Duration.ofMillis(100);
    /** Retry interval while the store is unavailable. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    /** Longest delay between an earlier job's end and the release of a held job. */
    private static final Duration HELD = Duration.ofMillis(500);
    /** Leadership term of a process that runs a single pass. */
    private static final Duration ONE_PASS = Duration.ofSeconds(30);
    /** Retry interval when a schedule could not be fired because it was being edited. */
    private static final Duration AGAIN = Duration.ofMillis(20);

    private static final int BATCH = 500;
    private static final int MOST_STILL_DUE = 6;

    private final JobStore jobs;
    private final ScheduleFires schedules;
    private final Leader leader;
    /** Schedules that this process cannot fire; logged once each. */
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

    /** Returns the time until the next fire; this task has no fixed interval. */
    @Override
    public Duration pause() {
        return pause;
    }

    @Override
    public boolean wokenBy(Signal signal) {
        return signal.kind() == Signal.Kind.SCHEDULE;
    }

    @Override
    public void runOnce(Instant now) {
        Optional<Leadership> leadership = leader.current();
        pause = leadership.isEmpty() ? NOT_LEADING : AFTER_FAILURE;
        leadership.ifPresent(leads -> {
            fireDue(leads);
            boolean anyHeld = releaseHeld();
            Duration next = schedules.untilNextDue().orElse(LONGEST_PAUSE);
            pause = shorter(unlessStillDue(next), anyHeld ? HELD : LONGEST_PAUSE);
        });
    }

    /**
     * Runs one pass in a process that exits afterwards, and returns how many jobs it created. The process is the leader
     * during the pass. If another process is the leader, it does nothing and returns 0.
     */
    public static int passOf(Store store, String holder, Duration lease) {
        Optional<Leadership> leadership = store.upkeep().lead(holder, ONE_PASS, lease);
        if (leadership.isEmpty()) {
            return 0;
        }
        try {
            var firer =
                    new ScheduleFirer(store.scheduleFires(), store.jobs(), new Leader(store.upkeep(), holder, lease));
            int jobs = firer.fireDue(leadership.get());
            firer.releaseHeld();
            return jobs;
        } finally {
            store.upkeep().resign(leadership.get());
        }
    }

    /** Fires batch by batch until nothing is due that can be fired; returns how many jobs that created. */
    private int fireDue(Leadership leadership) {
        int jobs = 0;
        Pass pass;
        do {
            pass = schedules.fireDue(leadership, BATCH);
            pass.fires().forEach(ScheduleFirer::log);
            pass.unknownZones().stream().filter(unknownZones::add).forEach(ScheduleFirer::logUnknownZone);
            jobs += (int)
                    pass.fires().stream().filter(fire -> fire.jobId() != null).count();
        } while (pass.schedules() > 0);
        return jobs;
    }

    private static void logUnknownZone(String key) {
        LOG.error("schedule {} is due but cannot be fired: the JVM of this process does not know its time zone", key);
    }

    private static void log(Fire fire) {
        if (fire.outcome() == Fire.Outcome.REFUSED) {
            LOG.warn("schedule {}: the store rejected the job of {}", fire.scheduleKey(), fire.fireAt());
        } else {
            LOG.debug("schedule {}: {} {}", fire.scheduleKey(), fire.fireAt(), fire.outcome());
        }
    }

    /** Returns whether any job is still held. */
    private boolean releaseHeld() {
        boolean any = false;
        List<HeldJob> page = schedules.held(null, BATCH);
        while (!page.isEmpty()) {
            for (HeldJob job : page) {
                any |= !job.ahead().isEmpty();
                release(job);
            }
            page = page.size() < BATCH ? List.of() : schedules.held(page.get(BATCH - 1), BATCH);
        }
        return any;
    }

    private void release(HeldJob job) {
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

    /**
     * Runs a step for a job. Ignores the failure if the job has changed state meanwhile, by itself or by another
     * leader.
     */
    private static void attempt(JobId id, Runnable step) {
        try {
            step.run();
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.FAILED_PRECONDITION && e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            LOG.debug("job {} has already changed state; skipped", id, e);
        }
    }

    /**
     * Returns the pause before the next pass. If schedules are still due, they were being edited: retries soon. If they
     * stay due, the JVM of this process does not know their time zone: retries with a growing pause, to avoid a busy
     * loop.
     */
    private Duration unlessStillDue(Duration next) {
        stillDue = next.isZero() ? Math.min(stillDue + 1, MOST_STILL_DUE) : 0;
        return next.isZero() ? AGAIN.multipliedBy(1L << (stillDue - 1)) : next;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
