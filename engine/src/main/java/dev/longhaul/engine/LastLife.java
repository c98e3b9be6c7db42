package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.work.Lapse;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a job on its last life may run here. Two processes have died while they ran it: either the job kills its
 * process, or it ran beside a job that does. One more death fails it. Therefore it starts only while no recently
 * started jobs run here, and no other jobs are claimed until its probation is over: if the process dies then, this job
 * is the cause, and no innocent job fails.
 */
final class LastLife {
    private static final long PROBATION = Lapse.PROBATION.toNanos();
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);
    /**
     * Longest turn of jobs on their last life. Then other jobs are claimed, even if more jobs on their last life wait.
     */
    private static final long LONGEST_TURN = TimeUnit.SECONDS.toNanos(15);

    private static final long REST = TimeUnit.MINUTES.toNanos(1);

    private final LiveRuns live;
    private @Nullable LiveRun alone;
    private boolean requested;
    private boolean claimedAny;
    private long polledAt = System.nanoTime() - INTERVAL;
    private long requestedAt;

    /** The next step of the claim loop. */
    enum Turn {
        /** Claim as usual. */
        OTHERS,
        /** Claim one job on its last life. */
        CLAIM,
        /** Claim nothing. */
        WAIT
    }

    LastLife(LiveRuns live) {
        this.live = live;
    }

    Turn turn(long now, BooleanSupplier due) {
        LiveRun running = alone;
        if (running != null) {
            boolean settled = running.settled().isDone();
            if (!settled && now - running.claimedAt() < PROBATION) {
                return Turn.WAIT;
            }
            alone = null;
        }
        if (!requested && now - polledAt >= INTERVAL) {
            polledAt = now;
            requested = due.getAsBoolean();
            requestedAt = now;
            claimedAny = false;
        }
        if (!requested) {
            return Turn.OTHERS;
        }
        if (now - requestedAt > LONGEST_TURN) {
            requested = false;
            // Nothing could be claimed, because this process always had recently started jobs. Another process may
            // claim the job, or this one in a later turn.
            polledAt = claimedAny ? now : now + REST;
            return Turn.OTHERS;
        }
        return anyYoung(now) ? Turn.WAIT : Turn.CLAIM;
    }

    /** Records the result of {@link Turn#CLAIM}. */
    void claimed(@Nullable LiveRun run, long now) {
        alone = run;
        claimedAny |= run != null;
        if (run == null) {
            requested = false;
            polledAt = now;
        }
    }

    /**
     * Whether a run here may still crash this process, because it has just started, or has an end that is not stored
     * yet. Excludes runs that callers execute in their own thread: there may always be some, and the claim loop did not
     * claim them.
     */
    private boolean anyYoung(long now) {
        for (LiveRun run : live.all()) {
            if (!run.awaited() && (!run.running() || now - run.startedAt() < PROBATION)) {
                return true;
            }
        }
        return false;
    }
}
