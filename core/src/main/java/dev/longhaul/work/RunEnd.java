package dev.longhaul.work;

import dev.longhaul.job.Backoff;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Limits;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a run's end on its job. The rules for attempts, crashes, quarantine and cancelling are defined here,
 * for every store.
 *
 * @param state the job's next state
 * @param runStatus how the run ended
 * @param runFailure why the run failed
 * @param jobFailure why the job failed, or why its last attempt did; differs from the run's when the job is
 * quarantined
 * @param when when a waiting job runs again; null keeps its run time
 * @param attemptReturned whether the run returns its attempt
 * @param crashed whether the run counts as a crash
 * @param beginFirst whether the begin of the job's next run must be stored before its code starts
 */
public record RunEnd(
        JobState state,
        RunStatus runStatus,
        @Nullable Failure runFailure,
        @Nullable Failure jobFailure,
        @Nullable RunAt when,
        boolean attemptReturned,
        boolean crashed,
        boolean beginFirst) {
    /** The end of every run that succeeds. */
    public static final RunEnd SUCCESS = ended(JobState.SUCCEEDED, RunStatus.SUCCEEDED, null);

    /** The end of every run that stops because its cancel was requested. */
    public static final RunEnd CANCELLED = ended(JobState.CANCELLED, RunStatus.CANCELLED, null);

    /** The effect of {@code transition} on a job in {@code state}; empty when that state does not allow it. */
    public static Optional<RunEnd> of(Transition transition, JobState state, Tally tally, int maxAttempts) {
        if (!state.leased()) {
            return Optional.empty();
        }
        if (transition instanceof Transition.Succeed) {
            return Optional.of(SUCCESS);
        }
        if (state == JobState.CANCELLING) {
            boolean crashed = transition instanceof Transition.Crashed;
            return Optional.of(
                    new RunEnd(JobState.CANCELLED, RunStatus.CANCELLED, null, null, null, false, crashed, false));
        }
        if (transition instanceof Transition.Cancelled) {
            return Optional.empty();
        }
        return Optional.of(whileRunning(transition, tally, maxAttempts));
    }

    /**
     * The effect of an expired lease: the job is cancelled if that was requested. A run that never began returns its
     * attempt, but the begin of the next run must then be stored before its code starts. Any other run has spent its
     * attempt, and counts as a crash if it died young.
     */
    public static RunEnd lapsed(JobState state, Tally tally, int maxAttempts, Lapse lapse) {
        Failure lost = Failure.lost();
        boolean crashed = lapse == Lapse.YOUNG;
        if (state == JobState.CANCELLING) {
            return new RunEnd(JobState.CANCELLED, RunStatus.LOST, lost, null, null, false, crashed, false);
        }
        if (lapse == Lapse.UNBEGUN) {
            return unbegun();
        }
        if (crashed) {
            return crash(lost, RunStatus.LOST, tally, maxAttempts, Limits.CRASHES_OF_WORKERS);
        }
        return tally.attempts() >= maxAttempts
                ? ended(JobState.FAILED, RunStatus.LOST, lost)
                : again(RunStatus.LOST, lost, RunAt.now(), false);
    }

    /**
     * The effect of a passed deadline on a job whose run has not ended: cancelled if that was requested, otherwise a
     * failed attempt with code {@code timeout}. A run that never began returns its attempt, as when its lease expires.
     *
     * @param begun whether the store knows that the run's code began
     */
    public static RunEnd overdue(JobState state, Tally tally, int maxAttempts, boolean begun) {
        if (state == JobState.CANCELLING) {
            return CANCELLED;
        }
        if (!begun) {
            return unbegun();
        }
        Failure timeout = Failure.of(Failure.TIMEOUT, "the attempt took longer than its timeout; the server ended it");
        Duration delay = Backoff.DEFAULT.delay(tally.attempts(), ThreadLocalRandom.current());
        return tally.attempts() >= maxAttempts
                ? ended(JobState.FAILED, RunStatus.FAILED, timeout)
                : again(RunStatus.FAILED, timeout, RunAt.after(delay), false);
    }

    private static RunEnd unbegun() {
        return new RunEnd(JobState.WAITING, RunStatus.RELEASED, null, null, null, true, false, true);
    }

    /**
     * Whether this transition, which the worker has sent again, may have caused the recorded end of the run.
     *
     * @param code the error code of the run, if it failed
     */
    public static boolean repeats(Transition transition, RunStatus ended, @Nullable String code) {
        return switch (ended) {
            case RUNNING, LOST -> false;
            case SUCCEEDED -> transition instanceof Transition.Succeed;
            case SNOOZED -> transition instanceof Transition.Snooze;
            case RELEASED -> transition instanceof Transition.GiveBack;
            case FAILED -> {
                Failure failure = transition.failure();
                yield failure != null && failure.code().equals(code);
            }
            // While a cancel is requested, every end of the run except success means cancelled.
            case CANCELLED -> !(transition instanceof Transition.Succeed);
        };
    }

    /** Whether this transition, which the worker has sent again, may have caused this end. */
    public boolean repeatedBy(Transition transition) {
        return repeats(transition, runStatus, runFailure == null ? null : runFailure.code());
    }

    private static RunEnd whileRunning(Transition transition, Tally tally, int maxAttempts) {
        if (transition instanceof Transition.Retry retry) {
            return tally.attempts() >= maxAttempts
                    ? ended(JobState.FAILED, RunStatus.FAILED, retry.failure())
                    : again(RunStatus.FAILED, retry.failure(), retry.when(), false);
        }
        if (transition instanceof Transition.Fail fail) {
            return ended(JobState.FAILED, RunStatus.FAILED, fail.failure());
        }
        if (transition instanceof Transition.Snooze snooze) {
            return again(RunStatus.SNOOZED, snooze.reason(), snooze.when(), true);
        }
        if (transition instanceof Transition.GiveBack) {
            return again(RunStatus.RELEASED, null, null, true);
        }
        if (transition instanceof Transition.Crashed crashed) {
            return crash(crashed.failure(), RunStatus.FAILED, tally, maxAttempts, Limits.CRASHES);
        }
        throw new IllegalArgumentException("transition: " + transition + " (expected: one that ends a running job)");
    }

    private static RunEnd crash(Failure failure, RunStatus runStatus, Tally tally, int maxAttempts, int mostCrashes) {
        int crashes = tally.crashes() + 1;
        boolean spent = tally.attempts() >= maxAttempts;
        if (crashes >= mostCrashes || (spent && crashes >= Limits.CRASHES)) {
            Failure quarantined = Failure.quarantined(crashes, failure);
            return new RunEnd(JobState.FAILED, runStatus, failure, quarantined, null, false, true, false);
        }
        if (spent) {
            return new RunEnd(JobState.FAILED, runStatus, failure, failure, null, false, true, false);
        }
        return new RunEnd(JobState.WAITING, runStatus, failure, failure, RunAt.now(), false, true, false);
    }

    private static RunEnd ended(JobState state, RunStatus runStatus, @Nullable Failure failure) {
        return new RunEnd(state, runStatus, failure, failure, null, false, false, false);
    }

    private static RunEnd again(
            RunStatus runStatus, @Nullable Failure failure, @Nullable RunAt when, boolean attemptReturned) {
        return new RunEnd(JobState.WAITING, runStatus, failure, failure, when, attemptReturned, false, false);
    }

    /** The job's tally after this end. */
    public Tally tally(Tally before) {
        return new Tally(
                before.run(), before.attempts() - (attemptReturned ? 1 : 0), before.crashes() + (crashed ? 1 : 0));
    }

    /** Whether a lost run and its job's end are two events, one after the other. */
    public boolean lostThenEnded() {
        return state.terminal() && runStatus == RunStatus.LOST;
    }

    /**
     * Whether the run needs its own record. A run that ended together with its job, in the same way, is stored in the
     * job's row. That is the common case, and it saves a row for every job that succeeds on its first run.
     */
    public boolean needsOwnRecord() {
        return !state.terminal() || runStatus == RunStatus.LOST || !Objects.equals(runFailure, jobFailure);
    }
}
