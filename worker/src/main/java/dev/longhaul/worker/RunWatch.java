package dev.longhaul.worker;

import dev.longhaul.definition.Isolation;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.loop.BackgroundLoop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the code that runs: tells it when its time is up, interrupts it when it was told and does not end, and says so when
 * even that does not help. Such a thread keeps its job: no second run may begin while the first may still do something.
 */
final class RunWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunWatch.class);
    private static final long INTERVAL_MILLIS = 100;
    private static final long STUCK = TimeUnit.SECONDS.toNanos(10);

    private final LiveRuns live;
    private final Duration cancelGrace;
    private volatile boolean closed;
    /** The last failure of the current pass; used by the loop's thread alone. */
    private @Nullable Throwable failure;

    private @Nullable BackgroundLoop loop;

    RunWatch(LiveRuns live, Duration cancelGrace) {
        this.live = live;
        this.cancelGrace = cancelGrace;
    }

    void start() {
        loop = BackgroundLoop.vital("run-watch", this::pass);
    }

    void runOnce(long now) {
        live.eachRunning(run -> {
            try {
                look(run, now);
            } catch (RuntimeException | Error e) {
                // The next runs must not go unwatched because of this one.
                failure = e;
            }
        });
        Throwable last = failure;
        failure = null;
        if (last instanceof Error error) {
            throw error;
        }
        if (last instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** How many runs were interrupted long ago and have not ended. */
    long stuck() {
        var stuck = new AtomicLong();
        live.eachRunning(run -> stuck.addAndGet(run.toldStuck ? 1 : 0));
        return stuck.get();
    }

    @Override
    public void close() {
        closed = true;
        BackgroundLoop started = loop;
        if (started != null) {
            started.interrupt();
        }
    }

    private void look(LiveRun run, long now) {
        if (run.stop() == null
                && now - run.startedAt() >= run.job().spec().timeout().toNanos()) {
            LogMarks.around(
                    run.context(),
                    () -> LOG.warn(
                            "{}: timed out after {}", run, run.job().spec().timeout()));
            run.stop(LiveRun.Stop.TIMEOUT);
        }
        LiveRun.Stop stop = run.stop();
        if (stop == null) {
            return;
        }
        if (!run.interrupted) {
            long grace = grace(run, stop);
            if (grace == 0 || now - run.stoppedAt() >= grace) {
                interrupt(run, now);
            }
        } else if (now - run.interruptedAt >= STUCK) {
            tellStuck(run, now);
        }
    }

    private long grace(LiveRun run, LiveRun.Stop stop) {
        if (stop == LiveRun.Stop.TIMEOUT && run.definition().isolation() instanceof Isolation.InProcess) {
            // Its processes were asked to end just now.
            return cancelGrace.toNanos();
        }
        if (stop != LiveRun.Stop.CANCEL) {
            return 0;
        }
        CancelRequest request = run.cancelRequest();
        Duration asked = request == null ? null : request.grace();
        return (asked == null ? cancelGrace : asked).toNanos();
    }

    private static void interrupt(LiveRun run, long now) {
        run.interrupted = true;
        run.interruptedAt = now;
        run.interrupt();
    }

    private static void tellStuck(LiveRun run, long now) {
        if (!run.toldStuck) {
            run.toldStuck = true;
            String message = "stuck: the code was told to end and interrupted, and still runs";
            LogMarks.around(run.context(), () -> LOG.warn("{}: {}", run, message));
            run.note(EventType.CUSTOM, "{\"name\":\"stuck\",\"data\":" + Payload.quoted(message) + "}");
        }
        // Code may swallow one interrupt; it gets another from time to time.
        interrupt(run, now);
    }

    private boolean pass() throws InterruptedException {
        runOnce(System.nanoTime());
        Thread.sleep(INTERVAL_MILLIS);
        return !closed;
    }
}
