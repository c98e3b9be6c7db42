package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the runs of a worker that stops: first lets them end by themselves, then interrupts them, then gives them back.
 * Runs whose code outlives the worker are never stopped or given back: their claims stay held for another worker.
 */
final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final long AFTER_INTERRUPT = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long STEP_MILLIS = 10;

    private final LiveRuns live;
    private final Completions completions;
    private final Predicate<LiveRun> outlives;

    /** @param outlives whether code of the run may be running outside this process */
    Drain(LiveRuns live, Completions completions, Predicate<LiveRun> outlives) {
        this.live = live;
        this.completions = completions;
        this.outlives = outlives;
    }

    void run(Duration patience) {
        if (await(patience.toNanos())) {
            return;
        }
        List<LiveRun> left = left();
        List<LiveRun> here = left.stream().filter(outlives.negate()).toList();
        long cancelled = stopped(here, LiveRun.Stop.CANCEL);
        long timedOut = stopped(here, LiveRun.Stop.TIMEOUT);
        LOG.info(
                "drain timeout: interrupting {} running jobs ({} to give back, {} cancelled before, {} timed out before);"
                        + " leaving {} whose code continues",
                here.size(),
                here.size() - cancelled - timedOut,
                cancelled,
                timedOut,
                left.size() - here.size());
        here.forEach(run -> {
            run.stop(LiveRun.Stop.RELEASE);
            run.interrupt();
        });
        if (await(AFTER_INTERRUPT)) {
            return;
        }
        // Their threads run until the process ends, but their results are no longer stored.
        left().forEach(run -> {
            if (outlives.test(run)) {
                completions.leave(run);
            } else {
                completions.giveBack(run);
            }
        });
    }

    /** Runs whose code runs or is about to, and runs whose end has not reached {@link Completions} yet. */
    private List<LiveRun> left() {
        return live.all().stream()
                .filter(run -> !run.handedOver() && !run.lost())
                .toList();
    }

    private static long stopped(List<LiveRun> runs, LiveRun.Stop reason) {
        return runs.stream().filter(run -> run.stop() == reason).count();
    }

    private boolean await(long nanos) {
        long until = System.nanoTime() + nanos;
        while (!left().isEmpty()) {
            if (System.nanoTime() >= until) {
                return false;
            }
            try {
                Thread.sleep(STEP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
