package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the runs of a worker that stops: first they may end by themselves, then they are interrupted, then given back. */
final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final long AFTER_INTERRUPT = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long STEP_MILLIS = 10;

    private final LiveRuns live;
    private final Completions completions;

    Drain(LiveRuns live, Completions completions) {
        this.live = live;
        this.completions = completions;
    }

    void run(Duration patience) {
        if (await(patience.toNanos())) {
            return;
        }
        List<LiveRun> left = left();
        LOG.info("stopping with {} jobs still running; they are given back", left.size());
        left.forEach(run -> {
            run.stop(LiveRun.Stop.RELEASE);
            run.interrupt();
        });
        if (await(AFTER_INTERRUPT)) {
            return;
        }
        // Their threads go on until the process ends, but whatever they bring is stored no more.
        left().forEach(completions::giveBack);
    }

    /** Those whose code runs, or is about to, and those whose end has not reached {@link Completions} yet. */
    private List<LiveRun> left() {
        return live.all().stream()
                .filter(run -> !run.handedOver() && !run.lost())
                .toList();
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
