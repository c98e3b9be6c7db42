package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.work.Lapse;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When a job on its last life may run here. Its process has died under it twice: either it kills processes, or it was the
 * neighbour of one that does. One more death fails it, so it begins with no young neighbours, and none are claimed until it has
 * proven itself: then the next death tells who was to blame, and good jobs do not go down with bad ones.
 */
final class LastLife {
    private static final long PROBATION = Lapse.PROBATION.toNanos();
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);
    /** After that long, other jobs get a turn even if there are more of these. */
    private static final long LONGEST_TURN = TimeUnit.SECONDS.toNanos(15);

    private static final long REST = TimeUnit.MINUTES.toNanos(1);

    private final LiveRuns live;
    private @Nullable LiveRun alone;
    private boolean wanted;
    private boolean claimedAny;
    private long lookedAt = System.nanoTime() - INTERVAL;
    private long wantedSince;

    /** What the claim loop is to do. */
    enum Turn {
        /** Claim as usual. */
        OTHERS,
        /** Claim one such job. */
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
        if (!wanted && now - lookedAt >= INTERVAL) {
            lookedAt = now;
            wanted = due.getAsBoolean();
            wantedSince = now;
            claimedAny = false;
        }
        if (!wanted) {
            return Turn.OTHERS;
        }
        if (now - wantedSince > LONGEST_TURN) {
            wanted = false;
            // If even that was in vain, this process is never calm enough; another may be, or a quieter hour.
            lookedAt = claimedAny ? now : now + REST;
            return Turn.OTHERS;
        }
        return anyYoung(now) ? Turn.WAIT : Turn.CLAIM;
    }

    /** What came of {@link Turn#CLAIM}. */
    void claimed(@Nullable LiveRun run, long now) {
        alone = run;
        claimedAny |= run != null;
        if (run == null) {
            wanted = false;
            lookedAt = now;
        }
    }

    /**
     * Whether a run is here that may be about to end this process, or whose end is not stored yet. What callers run on the spot is
     * left out: there may always be some, and it is not claimed by us.
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
