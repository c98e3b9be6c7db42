package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies listeners in this process of changes to the jobs that run here. Without listeners it costs nothing. */
public final class Notices implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);

    private static final int MOST_WAITING = 10_000;

    private final WorkSource source;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /**
     * A separate thread, because listeners run foreign code: slow or broken ones must not delay outcomes, and may
     * themselves wait for outcomes.
     */
    private final ThreadPoolExecutor notifier = new ThreadPoolExecutor(
            0, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), Notices::thread, Notices::dropped);

    private record Listener(Predicate<JobNotice> filter, Consumer<JobNotice> consumer) {}

    public Notices(WorkSource source) {
        this.source = source;
    }

    /** Calls {@code consumer} on every notice that {@code filter} lets through, until the subscription is closed. */
    public Subscription listen(Predicate<JobNotice> filter, Consumer<JobNotice> consumer) {
        var listener = new Listener(filter, consumer);
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private static Thread thread(Runnable work) {
        var thread = new Thread(work, "longhaul-notices");
        thread.setDaemon(true);
        return thread;
    }

    private static void dropped(Runnable notice, ThreadPoolExecutor full) {
        LOG.warn("a listener misses a notice: its queue is full or closed");
    }

    void started(LiveRun run) {
        if (!listeners.isEmpty()) {
            notifier.execute(() -> send(run, EventType.STARTED, null));
        }
    }

    /** Notifies listeners of the end of a run. Call after the end is stored. */
    void ended(LiveRun run, Transition transition) {
        if (!listeners.isEmpty()) {
            notifier.execute(() -> send(run, transition));
        }
    }

    @Override
    public void close() {
        notifier.shutdown();
    }

    private void send(LiveRun run, Transition transition) {
        if (transition instanceof Transition.Succeed) {
            send(run, EventType.SUCCEEDED, null);
        } else if (transition instanceof Transition.Snooze) {
            send(run, EventType.SNOOZED, null);
        } else if (transition instanceof Transition.GiveBack) {
            send(run, EventType.RELEASED, null);
        } else {
            notifyStored(run);
        }
    }

    /**
     * Notifies listeners of the stored state of the job: only the store knows whether that was its last attempt, or a
     * cancel came first.
     */
    private void notifyStored(LiveRun run) {
        try {
            source.find(run.claim().jobId()).ifPresent(job -> send(run, ended(job), job.failure()));
        } catch (RuntimeException e) {
            LogContext.around(
                    run.context(), () -> LOG.warn("{}: reading the job failed; its end notice is dropped", run, e));
        }
    }

    private static EventType ended(Job job) {
        return job.state().terminal() ? EventType.ofEnd(job.state()) : EventType.RETRYING;
    }

    private void send(LiveRun run, EventType type, @Nullable Failure failure) {
        var notice = new JobNotice(
                run.claim().jobId(),
                run.definition().ref(),
                type,
                run.claim().run(),
                Instant.now(),
                failure == null ? null : failure.code() + ": " + failure.message());
        for (Listener listener : listeners) {
            try {
                if (listener.filter().test(notice)) {
                    listener.consumer().accept(notice);
                }
            } catch (Exception | Error e) {
                // Logs the stack as text and not the exception itself, because loggers call getMessage, which may throw
                // too.
                LOG.warn("a listener failed on {}: {}", notice, Failure.of(e).stack());
            }
        }
    }
}
