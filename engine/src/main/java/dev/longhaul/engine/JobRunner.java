package dev.longhaul.engine;

import dev.longhaul.JobDefinition;
import dev.longhaul.engine.run.FailureLog;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one job in the calling thread, from its claim to one transition that is handed to {@link Completions}. */
public final class JobRunner {
    private static final Logger LOG = LoggerFactory.getLogger(JobRunner.class);

    /** How long a run occupies its slot waiting for the code of an earlier run of its job that is being stopped. */
    private static final Duration PREDECESSORS = Duration.ofSeconds(2);

    private final Map<String, Executor> executors;
    private final Begins begins;
    private final HookRunner hooks;
    private final Completions completions;
    private final Notices notices;
    private final boolean logFailures;

    /**
     * Runs jobs.
     *
     * @param executors by name; each definition runs in the one that its isolation names
     */
    public JobRunner(
            Map<String, Executor> executors,
            Begins begins,
            HookRunner hooks,
            Completions completions,
            Notices notices,
            boolean logFailures) {
        this.logFailures = logFailures;
        this.executors = executors;
        this.begins = begins;
        this.hooks = hooks;
        this.completions = completions;
        this.notices = notices;
    }

    public void run(LiveRun run) {
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        Outcome outcome = null;
        boolean mayRun = false;
        try {
            mayRun = run.awaitPredecessors(PREDECESSORS);
            if (mayRun && run.beginsFirst()) {
                // The timeout starts with the code; the wait for storing the begin does not count.
                begins.await(run);
            }
            run.begin(thread);
            if (mayRun && run.stop() == null) {
                LogContext.put(run.context());
                run.secrets();
                if (run.takeovers() == 0) {
                    notices.started(run);
                    hooks.started(run);
                }
                outcome = run.trace().execute(() -> executorOf(run.definition()).execute(run));
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            // Whatever was thrown, an end of the run must be stored.
            outcome = new Outcome.Threw(e);
            mayRun = true;
        } finally {
            run.end();
            LogContext.remove();
            // The next run in this thread must not inherit this run's class loader and interrupt.
            thread.setContextClassLoader(loader);
            clearInterrupt();
        }
        Transition transition = mayRun ? end(run, outcome) : LeftJob.stillRunning(run);
        if (completions.add(run, transition) && logFailures) {
            LogContext.around(run.context(), () -> FailureLog.log(run, transition));
        }
    }

    /** The executor that the definition's isolation names. */
    Executor executorOf(JobDefinition<?, ?> definition) {
        String name = definition.isolation().executor();
        Executor executor = executors.get(name);
        if (executor == null) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    definition.ref() + ": isolation: " + name + " (expected: a registered executor: "
                            + String.join(", ", executors.keySet()) + ")");
        }
        return executor;
    }

    private static @Nullable Transition end(LiveRun run, @Nullable Outcome outcome) {
        try {
            return transition(run, outcome);
        } catch (RuntimeException | Error e) {
            // Thrown by a retry policy, for example.
            String message = "could not determine the outcome of the run: "
                    + e.getClass().getName();
            return Transition.fail(run.claim(), Failure.of(Failure.EXCEPTION, message));
        }
    }

    private static void clearInterrupt() {
        boolean left = Thread.interrupted();
        LOG.trace("the run left its thread interrupted: {}", left);
    }

    /** The transition that ends the run; null when this process no longer owns the run. */
    private static @Nullable Transition transition(LiveRun run, @Nullable Outcome outcome) {
        Claim claim = run.claim();
        LiveRun.Stop stop = run.stop();
        if (stop == LiveRun.Stop.LOST || outcome instanceof Outcome.LeftRunning) {
            return null;
        }
        if (stop == LiveRun.Stop.TIMEOUT) {
            Failure failure = timedOut(run);
            return afterFailure(run, new TimeoutException(failure.message()), failure);
        }
        if (outcome instanceof Outcome.Returned returned) {
            return Transition.succeed(claim, returned.result());
        }
        if (stop == LiveRun.Stop.CANCEL) {
            return Transition.cancelled(claim);
        }
        if (outcome instanceof Outcome.Snoozed snoozed) {
            return Transition.snooze(claim, snoozed.until());
        }
        if (outcome instanceof Outcome.GivenBack back) {
            return Transition.leave(claim, back.when(), run.hidden(back.reason()));
        }
        if (outcome instanceof Outcome.Unreadable unreadable) {
            return LeftJob.unreadable(run, run.hidden(unreadable.failure()));
        }
        if (outcome instanceof Outcome.Refused refused) {
            return Transition.fail(claim, run.hidden(refused.failure()));
        }
        if (outcome == null || stop == LiveRun.Stop.RELEASE) {
            return Transition.giveBack(claim);
        }
        if (outcome instanceof Outcome.Failed failed) {
            return Transition.retry(claim, RunAt.after(failed.retryAfter()), run.hidden(failed.failure()));
        }
        if (outcome instanceof Outcome.Crashed crashed) {
            return Transition.crashed(claim, run.hidden(crashed.failure()));
        }
        Throwable error = ((Outcome.Threw) outcome).error();
        return afterFailure(run, error, run.hidden(Failure.of(error)));
    }

    static Failure timedOut(LiveRun run) {
        return Failure.of(
                Failure.TIMEOUT,
                "the attempt took longer than " + Text.of(run.job().spec().timeout()));
    }

    private static Transition afterFailure(LiveRun run, Throwable error, Failure failure) {
        JobDefinition<?, ?> definition = run.definition();
        int attempts = run.job().tally().attempts();
        return definition
                .retry()
                .delayAfter(error, attempts, ThreadLocalRandom.current())
                .map(delay -> Transition.retry(run.claim(), RunAt.after(delay), failure))
                .orElseGet(() -> Transition.fail(run.claim(), failure));
    }
}
