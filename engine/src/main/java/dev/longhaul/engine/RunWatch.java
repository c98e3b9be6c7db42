package dev.longhaul.engine;

import dev.longhaul.JobDefinition;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.spi.Executor;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches running code: stops it when it times out, interrupts it after the grace period, and reports code that ignores
 * its interrupt. A cancelled job then ends without waiting for the code, and so does one whose last attempt timed out:
 * no other run of it can begin. A job with attempts left stays running, so that it never runs twice at once.
 */
public final class RunWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunWatch.class);
    private static final long INTERVAL_MILLIS = 100;
    private static final long STUCK = TimeUnit.SECONDS.toNanos(10);
    /** How long interrupted code may take to end. */
    private static final long AFTER_INTERRUPT = TimeUnit.MILLISECONDS.toNanos(1500);

    private final LiveRuns live;
    private final Predicate<JobDefinition<?, ?>> endsCode;
    private final BiConsumer<LiveRun, Transition> ends;
    private final Duration cancelGrace;
    private volatile boolean closed;
    /** The last failure of the current pass; confined to the loop's thread. */
    private @Nullable Throwable failure;

    private @Nullable BackgroundLoop loop;

    /**
     * Creates a watch over the given runs.
     *
     * @param endsCode whether the executor of a definition reliably ends its code ({@link Executor#endsCode})
     * @param ends takes the end of a job whose code has not ended; must not block
     */
    public RunWatch(
            LiveRuns live,
            Predicate<JobDefinition<?, ?>> endsCode,
            Duration cancelGrace,
            BiConsumer<LiveRun, Transition> ends) {
        this.live = live;
        this.endsCode = endsCode;
        this.ends = ends;
        this.cancelGrace = cancelGrace;
    }

    void start() {
        loop = BackgroundLoop.vital("run-watch", this::pass);
    }

    public void runOnce(long now) {
        live.eachRunning(run -> {
            try {
                check(run, now);
            } catch (RuntimeException | Error e) {
                // One failing run must not leave the other runs unwatched.
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

    /** How many threads run code that ignored its interrupt. */
    int stuck() {
        return live.stuck();
    }

    @Override
    public void close() {
        closed = true;
        BackgroundLoop started = loop;
        if (started != null) {
            started.interrupt();
        }
    }

    private void check(LiveRun run, long now) {
        if (run.stop() == null
                && now - run.startedAt() >= run.job().spec().timeout().toNanos()) {
            LogContext.around(
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
        } else {
            if (!run.abandoned && now - run.firstInterruptedAt >= toEnd(run)) {
                endWithoutCode(run, stop);
            }
            if (now - run.interruptedAt >= STUCK) {
                reportStuck(run, now);
            }
        }
    }

    /**
     * Returns how long interrupted code may take to end. A process gets longer, because killing its whole tree may take
     * seconds.
     */
    private long toEnd(LiveRun run) {
        return endsCode.test(run.definition()) ? STUCK : AFTER_INTERRUPT;
    }

    /** Ends the job if no other run of it can follow; its thread keeps the slot until the code ends. */
    private void endWithoutCode(LiveRun run, LiveRun.Stop stop) {
        Transition end = endOf(run, stop);
        if (end == null) {
            return;
        }
        run.abandoned = true;
        live.abandon(run);
        reportStuck(run, "the job ends now; the thread occupies a slot until the code ends");
        ends.accept(run, end);
    }

    private static @Nullable Transition endOf(LiveRun run, LiveRun.Stop stop) {
        if (stop == LiveRun.Stop.LOST || stop == LiveRun.Stop.RELEASE) {
            return null;
        }
        if (run.cancelRequest() != null) {
            return Transition.cancelled(run.claim());
        }
        boolean last = run.job().tally().attempts() >= run.job().spec().maxAttempts();
        return stop == LiveRun.Stop.TIMEOUT && last ? Transition.fail(run.claim(), JobRunner.timedOut(run)) : null;
    }

    private long grace(LiveRun run, LiveRun.Stop stop) {
        if (stop == LiveRun.Stop.TIMEOUT && endsCode.test(run.definition())) {
            // The job's processes have just been requested to end, so they get time for that.
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
        if (!run.interrupted) {
            run.firstInterruptedAt = now;
        }
        run.interrupted = true;
        run.interruptedAt = now;
        run.interrupt();
    }

    private static void reportStuck(LiveRun run, String consequence) {
        if (!run.stuckReported) {
            run.stuckReported = true;
            String message = "stuck: the code ignores its interrupt; " + consequence;
            LogContext.around(run.context(), () -> LOG.warn("{}: {}", run, message));
            run.note(EventType.CUSTOM, "{\"name\":\"stuck\",\"data\":" + Payload.quoted(message) + "}");
        }
    }

    private static void reportStuck(LiveRun run, long now) {
        reportStuck(run, "the job stays running until the code ends");
        // Code may swallow one interrupt, so it is repeated.
        interrupt(run, now);
    }

    private boolean pass() throws InterruptedException {
        runOnce(System.nanoTime());
        Thread.sleep(INTERVAL_MILLIS);
        return !closed;
    }
}
