package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records in the store that runs have begun; if the lease expires before that, the job's attempt is not spent. Most
 * runs count as begun with their claim. Runs claimed ahead of a free slot are recorded after they have run for a
 * moment, so that few short jobs cost a write. Runs with {@link dev.longhaul.work.ClaimedJob.Begin#FIRST} wait here
 * before their code starts, and share commits.
 */
public final class Begins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Begins.class);
    private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

    private final WorkSource source;
    private final LiveRuns live;
    private final Object monitor = new Object();
    private final Set<LiveRun> waiting = new LinkedHashSet<>();
    private boolean closed;
    /** Whether the last pass found locked rows; confined to the loop's thread. */
    private boolean locked;

    private @Nullable BackgroundLoop loop;

    public Begins(WorkSource source, LiveRuns live) {
        this.source = source;
        this.live = live;
    }

    void start() {
        loop = BackgroundLoop.vital("begins", this::pass);
    }

    /** Records the begin of the run immediately and waits for it; returns early when the run has to stop. */
    void await(LiveRun run) throws InterruptedException {
        synchronized (monitor) {
            waiting.add(run);
            monitor.notifyAll();
        }
        run.awaitBegun();
    }

    /** Records the runs that have begun by now; returns whether all of them could be written. */
    boolean runOnce() {
        List<LiveRun> begun = begun();
        if (begun.isEmpty()) {
            return true;
        }
        List<Verdict> verdicts = source.begin(begun.stream().map(LiveRun::claim).toList());
        for (int i = 0; i < begun.size(); i++) {
            stored(begun.get(i), verdicts.get(i));
        }
        return verdicts.stream().noneMatch(verdict -> verdict.kind() == Verdict.Kind.LOCKED);
    }

    @Override
    public void close() {
        synchronized (monitor) {
            closed = true;
            monitor.notifyAll();
        }
        BackgroundLoop started = loop;
        if (started != null) {
            started.interrupt();
        }
    }

    /** The runs that wait for their begin, and those that have run for a moment. */
    private List<LiveRun> begun() {
        var begun = new LinkedHashSet<LiveRun>();
        synchronized (monitor) {
            waiting.removeIf(run -> run.begun() || run.stop() != null);
            begun.addAll(waiting);
        }
        live.eachRunning(run -> {
            if (!run.begun() && run.stop() == null) {
                begun.add(run);
            }
        });
        return new ArrayList<>(begun);
    }

    private static void stored(LiveRun run, Verdict verdict) {
        if (verdict.won()) {
            run.beginStored();
        } else if (verdict.lost() && !run.ended()) {
            // Not for a run that has ended in the meantime: the verdict on its end decides.
            LogContext.around(run.context(), () -> LOG.warn("{}: lease lost; interrupting its code", run));
            run.lose();
        }
    }

    /**
     * Sleeps for a moment, or until a run waits for its begin and its row is not known to be locked; returns false once
     * closed.
     */
    private boolean pass() throws InterruptedException {
        long until = System.nanoTime() + INTERVAL;
        synchronized (monitor) {
            for (long left = INTERVAL;
                    left > 0 && (waiting.isEmpty() || locked) && !closed;
                    left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(monitor, left);
            }
            if (closed) {
                return false;
            }
        }
        locked = !runOnce();
        return true;
    }
}
