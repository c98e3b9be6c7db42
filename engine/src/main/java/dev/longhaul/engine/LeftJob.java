package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.RunAt;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves a job that this worker cannot run for another worker: its params do not fit this worker's code, or the code of
 * an earlier run still runs here. The attempt is not spent. The job is offered again after 1 s, and from the sixth time
 * on after a doubling delay of up to 5 min: it soon finds a worker that can run it, and costs little if there is none.
 */
final class LeftJob {
    private static final Logger LOG = LoggerFactory.getLogger(LeftJob.class);
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final int QUICK_OFFERS = 5;
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final long LOG_INTERVAL = TimeUnit.MINUTES.toNanos(1);
    private static final Map<DefinitionRef, Long> LOGGED = new ConcurrentHashMap<>();

    private LeftJob() {}

    static Transition unreadable(LiveRun run, Failure failure) {
        Duration delay = delay(run.job(), Failure.PARAMS_UNREADABLE);
        if (firstInAMinute(run.definition().ref())) {
            LOG.warn(
                    "{}: params do not fit this worker's code ({}); left for another worker, next offered in {} s."
                            + " Further jobs of {} are not logged for 1 min",
                    run,
                    failure.message(),
                    delay.toSeconds(),
                    run.definition());
        }
        return Transition.leave(run.claim(), RunAt.after(jittered(delay)), failure);
    }

    /**
     * Leaves the job because the code of an earlier run ignores its interrupt. Running both at once is not allowed, and
     * waiting would occupy a slot.
     */
    static Transition stillRunning(LiveRun run) {
        Duration delay = delay(run.job(), Failure.STILL_RUNNING);
        LogContext.around(
                run.context(),
                () -> LOG.warn(
                        "{}: the code of an earlier run still runs in this process; left for another worker,"
                                + " next offered in {} s",
                        run,
                        delay.toSeconds()));
        return Transition.leave(
                run.claim(),
                RunAt.after(jittered(delay)),
                Failure.of(Failure.STILL_RUNNING, "the code of an earlier run ignores its interrupt and still runs"));
    }

    /**
     * Returns the delay until the job is offered again. It grows with the number of runs on all workers that spent no
     * attempt.
     */
    static Duration delay(Job job, String code) {
        Failure last = job.failure();
        boolean repeated = last != null && last.code().equals(code);
        int unspent = Math.max(0, job.tally().run() - job.tally().attempts());
        int doublings = repeated ? Math.min(Math.max(0, unspent - QUICK_OFFERS), 16) : 0;
        Duration delay = FIRST.multipliedBy(1L << doublings);
        return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
    }

    private static Duration jittered(Duration delay) {
        return Duration.ofMillis(
                (long) (delay.toMillis() * ThreadLocalRandom.current().nextDouble(0.75, 1.25)));
    }

    private static boolean firstInAMinute(DefinitionRef definition) {
        long now = System.nanoTime();
        Long last = LOGGED.get(definition);
        boolean due = last == null || now - last > LOG_INTERVAL;
        return due
                && (last == null ? LOGGED.putIfAbsent(definition, now) == null : LOGGED.replace(definition, last, now));
    }
}
