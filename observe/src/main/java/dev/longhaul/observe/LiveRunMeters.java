package dev.longhaul.observe;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunEnd;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.job.Transition;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.store.EndedRun;
import dev.longhaul.store.LeaseAnswer;
import dev.longhaul.store.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts how runs begin and end. The store tells each end once, to whoever stored it; runs that this process has claimed are
 * remembered for the ends whose first answer was lost, and so that none is counted twice as begun.
 */
final class LiveRunMeters {
    /** Fewer are not worth looking through. */
    private static final int MANY = 10_000;

    private static final long LOOK_EVERY = TimeUnit.MINUTES.toNanos(1);
    private static final long KEEP = TimeUnit.MINUTES.toNanos(10);

    private final Map<Claim, Run> runs = new ConcurrentHashMap<>();
    private final Meters meters;
    private volatile long looked = System.nanoTime();

    private static final class Run {
        private final String definitionKey;
        private final Tally tally;
        private final int maxAttempts;
        private final long began = System.nanoTime();
        private volatile long until;
        private volatile boolean cancelling;
        private volatile boolean ending;

        Run(Job job, Duration lease) {
            // Not the job, whose params may be large: remote workers may hold many, and vanish.
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
        // There from the start: what never happened is 0, not unknown.
        meters.stale("extend");
        meters.stale("save");
        meters.stale("apply");
    }

    void claimed(ClaimedJob claimed, Duration lease) {
        forgetLapsed();
        Job job = claimed.job();
        if (runs.putIfAbsent(claimed.claim(), new Run(job, lease)) != null) {
            return; // A claim whose answer was lost is asked for again.
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

    void extended(List<LeaseAnswer> answers, Duration lease) {
        for (LeaseAnswer answer : answers) {
            Run run = runs.get(answer.claim());
            if (run == null) {
                continue;
            }
            if (answer.held()) {
                run.heldFor(lease);
                run.cancelling |= answer.cancelRequest() != null;
            } else if (!run.ending) {
                // One that is just being ended here is refused, too, when that comes first: nobody has taken it away.
                runs.remove(answer.claim());
                meters.stale("extend").increment();
            }
        }
    }

    /** Their ends are about to be stored. */
    void ending(List<Transition> transitions) {
        for (Transition transition : transitions) {
            Run run = runs.get(transition.claim());
            if (run != null) {
                run.ending = true;
            }
        }
    }

    /** Those that another process may have ended long ago, because a remote worker never came back. */
    private void forgetLapsed() {
        long now = System.nanoTime();
        if (runs.size() >= MANY && now - looked > LOOK_EVERY) {
            looked = now;
            runs.values().removeIf(run -> now - run.until > KEEP);
        }
    }

    void ended(Transition transition, Verdict verdict) {
        if (verdict.lost()) {
            runs.remove(transition.claim());
            meters.stale("apply").increment();
        }
        if (!verdict.won()) {
            return;
        }
        Run run = runs.remove(transition.claim());
        EndedRun ended = verdict.ended();
        if (ended != null) {
            count(meters, ended);
        } else if (run != null) {
            endedUnheard(run, transition);
        }
    }

    /**
     * It was stored by an earlier call whose answer was lost; one that was counted here is forgotten by now. Not told apart from
     * that is an end that another server has stored and counted, and that a remote worker who did not get its answer then sent
     * here, where the run began: it counts twice, which is rare. The other way, every lost answer of the database would count nowhere.
     */
    private void endedUnheard(Run run, Transition transition) {
        DefinitionMeters of = meters.definition(run.definitionKey);
        of.ran().record(System.nanoTime() - run.began, TimeUnit.NANOSECONDS);
        boolean cancelled = run.cancelling || transition instanceof Transition.Cancelled;
        Optional<RunEnd> end =
                RunEnd.of(transition, cancelled ? JobState.CANCELLING : JobState.RUNNING, run.tally, run.maxAttempts);
        end.ifPresent(one -> count(of, one));
    }

    static void count(Meters meters, EndedRun ended) {
        DefinitionMeters of = meters.definition(ended.definitionKey());
        if (ended.startedAt() != null) {
            of.ran().record(Duration.between(ended.startedAt(), ended.endedAt()));
        }
        count(of, ended.end());
    }

    private static void count(DefinitionMeters of, RunEnd end) {
        boolean unreadable = end.runStatus() == RunStatus.SNOOZED && end.runFailure() != null;
        if (unreadable) {
            of.unreadable().increment();
        }
        count(of, end.state(), end.jobFailure() != null && !unreadable, end.crashed());
    }

    /**
     * Counts what became of a job.
     *
     * @param failed whether one that waits again does so because its run failed
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
            default -> throw new IllegalArgumentException("state: " + state + " (expected: one that ends a run)");
        }
    }
}
