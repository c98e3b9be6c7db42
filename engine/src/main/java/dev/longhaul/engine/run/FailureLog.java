package dev.longhaul.engine.run;

import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Tally;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failed attempts: WARN with the stack when the job is retried, ERROR when it has failed for good. The logger's
 * name is {@value #NAME}. Secrets in failures are masked before they are passed here.
 */
public final class FailureLog {
    static final String NAME = "dev.longhaul.failures";
    private static final Logger LOG = LoggerFactory.getLogger(NAME);

    private FailureLog() {}

    public static void log(LiveRun run, @Nullable Transition transition) {
        Job job = run.job();
        Tally tally = job.tally();
        int most = job.spec().maxAttempts();
        RunEnd end = transition == null
                ? null
                : RunEnd.of(transition, JobState.RUNNING, tally, most).orElse(null);
        Failure failure = end == null ? null : end.jobFailure();
        if (end == null || failure == null || end.attemptReturned()) {
            return;
        }
        String attempt = run.definition() + " " + job.id() + ": attempt " + tally.attempts() + " of " + most
                + " failed (" + failure.code() + ": " + failure.message() + "); ";
        String stack = failure.stack() == null ? "" : "\n" + failure.stack().stripTrailing();
        if (end.state() == JobState.FAILED) {
            LOG.error("{}the job has failed{}", attempt, stack);
        } else {
            LOG.warn("{}next attempt at {}{}", attempt, nextAttempt(end.when()), stack);
        }
    }

    private static Instant nextAttempt(@Nullable RunAt when) {
        Instant now = Instant.now();
        return (when == null ? now : when.resolve(now)).truncatedTo(ChronoUnit.MILLIS);
    }
}
