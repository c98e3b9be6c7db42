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
 * Counts starts and ends of runs. The store reports each end once, in the process that stored it. Keeps the runs that
 * this process has claimed, so that an end whose first response was lost is counted, and no start is counted twice.
 */
final class LiveRunMeters {
    /** Size of the map above which expired runs are removed. */
    private static final int MANY = 10_000;

    private static final long CLEAN_EVERY = TimeUnit.MINUTES.toNanos(1);
    private static final long KEEP = TimeUnit.MINUTES.toNanos(10);
    /** Lease to assume for a claim that was read again, until its next renewal. */
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
            // Does not keep the whole job: its params may be large, and remote workers may claim many jobs and
            // disappear.
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
        // Registered now, so that an unused counter is 0 instead of missing.
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
                // The server may also reject the renewal of a run that is just ending here; such a claim is not lost.
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
     * Counts an end that an earlier call stored and whose response was lost. In a rare case the end is counted twice:
     * another server stored and counted it, but the remote worker did not get the response and sends the end again to
     * the server where the run started. This server cannot distinguish the two cases, and ends with a lost response
     * must be counted.
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
     * @param failed whether the run failed, if the job is waiting again
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
