package dev.longhaul.observe;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts starts and ends of runs. The store reports each end once, in the process that stored it. Runs claimed by this process are kept,
 * to count ends whose first response was lost and to count no start twice.
 */
final class LiveRunMeters {
    /** Expired runs are removed only once the map has this size. */
    private static final int MANY = 10_000;

    private static final long CLEAN_EVERY = TimeUnit.MINUTES.toNanos(1);
    private static final long KEEP = TimeUnit.MINUTES.toNanos(10);
    /** Assumed lease of a claim that was read again, until its next renewal. */
    private static final Duration ASSUMED_LEASE = Duration.ofMinutes(5);

    private final Map<Claim, Run> runs = new ConcurrentHashMap<>();
    private final Meters meters;
    private volatile long cleaned = System.nanoTime();

    private static final class Run {
        private final String definitionKey;
        private final Tally tally;
        private final int maxAttempts;
        private final long began = System.nanoTime();
        private volatile long until;
        private volatile boolean cancelling;
        private volatile boolean ending;
        private volatile boolean counted;

        Run(Job job, Duration lease) {
            // Not the whole job: its params may be large, and remote workers may claim many jobs and disappear.
            this.definitionKey = job.spec().definition().key();
            this.tally = job.tally();
            this.maxAttempts = job.spec().maxAttempts();
            heldFor(lease);
        }

        void heldFor(Duration lease) {
            until = System.nanoTime() + lease.toNanos();
        }
    }

    LiveRunMeters(Meters meters) {
        this.meters = meters;
        // Registered at creation, so that an unused counter is 0 instead of missing.
        meters.stale("extend");
        meters.stale("save");
        meters.stale("apply");
    }

    void claimed(ClaimedJob claimed, @Nullable Duration lease) {
        removeExpired();
        Job job = claimed.job();
        var run = new Run(job, lease == null ? ASSUMED_LEASE : lease);
        if (runs.putIfAbsent(claimed.claim(), run) != null) {
            return; // A claim re-read after a lost response.
        }
        DefinitionMeters of = meters.definition(job.spec().definition().key());
        of.claimed().increment();
        Instant startedAt = job.times().startedAt();
        Instant due = job.times().runAt();
        if (startedAt != null && startedAt.isAfter(due)) {
            of.waited().record(Duration.between(due, startedAt));
        } else {
            of.waited().record(Duration.ZERO);
        }
    }

    void extended(List<LeaseRenewal> answers, Duration lease) {
        for (LeaseRenewal answer : answers) {
            Run run = runs.get(answer.claim());
            if (run == null) {
                continue;
            }
            if (answer.held()) {
                run.heldFor(lease);
                run.cancelling |= answer.cancelRequest() != null;
            } else if (!run.ending) {
                // The renewal of a run that is just ending here may also be rejected; its claim is not lost.
                runs.remove(answer.claim());
                meters.stale("extend").increment();
            }
        }
    }

    void applying(List<Transition> transitions) {
        for (Transition transition : transitions) {
            Run run = runs.get(transition.claim());
            if (run != null) {
                run.ending = true;
            }
        }
    }

    /** Removes runs that another process may have ended long ago, because their remote worker disappeared. */
    private void removeExpired() {
        long now = System.nanoTime();
        if (runs.size() >= MANY && now - cleaned > CLEAN_EVERY) {
            cleaned = now;
            runs.values().removeIf(run -> now - run.until > KEEP);
        }
    }

    void ended(Claim claim, EndedRun ended) {
        Run run = runs.get(claim);
        if (run != null) {
            run.counted = true;
        }
        DefinitionMeters of = meters.definition(ended.definitionKey());
        if (ended.startedAt() != null) {
            of.ran().record(Duration.between(ended.startedAt(), ended.endedAt()));
        }
        count(of, ended.end());
    }

    void applied(Transition transition, Verdict verdict) {
        if (verdict.lost()) {
            runs.remove(transition.claim());
            meters.stale("apply").increment();
        } else if (verdict.won()) {
            Run run = runs.remove(transition.claim());
            if (run != null && !run.counted) {
                storedBefore(run, transition);
            }
        }
    }

    /**
     * Counts an end that an earlier call stored and whose response was lost. Rarely this counts an end twice: another server stored and
     * counted it, the remote worker did not get the response, and sends it again to the server where the run started. Both cases look
     * the same here, and ends with a lost response must be counted.
     */
    private void storedBefore(Run run, Transition transition) {
        DefinitionMeters of = meters.definition(run.definitionKey);
        of.ran().record(System.nanoTime() - run.began, TimeUnit.NANOSECONDS);
        boolean cancelled = run.cancelling || transition instanceof Transition.Cancelled;
        Optional<RunEnd> end =
                RunEnd.of(transition, cancelled ? JobState.CANCELLING : JobState.RUNNING, run.tally, run.maxAttempts);
        end.ifPresent(one -> count(of, one));
    }

    private static void count(DefinitionMeters of, RunEnd end) {
        boolean unreadable = end.runStatus() == RunStatus.SNOOZED && end.runFailure() != null;
        if (unreadable) {
            of.unreadable().increment();
        }
        count(of, end.state(), end.jobFailure() != null && !unreadable, end.crashed());
    }

    /**
     * Counts the state of a job after a run.
     *
     * @param failed whether a job that returns to waiting does so because its run failed
     */
    static void count(DefinitionMeters of, JobState state, boolean failed, boolean crashed) {
        if (crashed) {
            of.crashed().increment();
        }
        switch (state) {
            case SUCCEEDED -> of.succeeded().increment();
            case FAILED -> of.failed().increment();
            case CANCELLED -> of.cancelled().increment();
            case WAITING -> {
                if (failed) {
                    of.retried().increment();
                }
            }
            default -> throw new IllegalArgumentException("state: " + state + " (expected: a state that ends a run)");
        }
    }
}
