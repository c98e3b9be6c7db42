package dev.longhaul.worker;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.RunTime;
import dev.longhaul.job.Transition;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves a job whose params do not fit this worker's code for a worker whose code they fit. The attempt is not spent. The job
 * is offered again after 1 s, and from the sixth time on after twice as long each time, up to 5 min: where workers of both
 * versions run it soon finds the right one, and where none can read it it costs little.
 */
final class UnreadableParams {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadableParams.class);
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final int QUICK_OFFERS = 5;
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final long LOG_INTERVAL = TimeUnit.MINUTES.toNanos(1);
    private static final Map<DefinitionRef, Long> LOGGED = new ConcurrentHashMap<>();

    private UnreadableParams() {}

    static Transition leave(LiveRun run, Failure failure) {
        Duration delay = delay(run.job());
        if (firstInAMinute(run.definition().ref())) {
            LOG.warn(
                    "{}: params do not fit this worker's code ({}); left for another worker, next offered in {} s."
                            + " Further jobs of {} are not logged for 1 min",
                    run,
                    failure.message(),
                    delay.toSeconds(),
                    run.definition());
        }
        return Transition.unreadable(run.claim(), RunTime.after(jittered(delay)), failure);
    }

    /** Runs that spent no attempt are counted by the job itself, whatever worker had them. */
    static Duration delay(Job job) {
        Failure last = job.failure();
        boolean repeated = last != null && last.code().equals(Failure.PARAMS_UNREADABLE);
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
