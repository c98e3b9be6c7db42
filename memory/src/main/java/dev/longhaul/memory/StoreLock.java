package dev.longhaul.memory;

import dev.longhaul.internal.store.Changes;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.spi.Subscription;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Serializes access to the jobs, as PostgreSQL's transactions do; signals are sent after the lock is released. */
final class StoreLock {
    private final Object lock = new Object();
    private final Listeners listeners = new Listeners();
    private final StoreListeners storeListeners = new StoreListeners();
    private final InstantSource clock;
    private final Changes changes = new Changes();
    private final MemoryAudit audit = new MemoryAudit();
    private volatile long lastAnnounced = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(Changes.INTERVAL_MILLIS);
    private Set<Signal> pending = new LinkedHashSet<>();
    private List<JobId> changed = new ArrayList<>();
    private List<Consumer<StoreListener>> events = new ArrayList<>();

    StoreLock(InstantSource clock) {
        this.clock = clock;
    }

    Instant now() {
        return StoredJob.micros(clock.instant());
    }

    /** Applies a change under the lock, then notifies the listeners; not if the change throws. */
    <T> T write(Function<Instant, T> change) {
        T result;
        Set<Signal> signals;
        List<JobId> jobs;
        List<Consumer<StoreListener>> reports;
        synchronized (lock) {
            pending = new LinkedHashSet<>();
            changed = new ArrayList<>();
            events = new ArrayList<>();
            result = change.apply(now());
            signals = pending;
            jobs = changed;
            reports = events;
        }
        reports.forEach(storeListeners::report);
        listeners.send(signals);
        if (!listeners.none()) {
            jobs.forEach(this::announceChanged);
        }
        return result;
    }

    void update(Consumer<Instant> change) {
        write(now -> {
            change.accept(now);
            return now;
        });
    }

    <T> T read(Supplier<T> query) {
        synchronized (lock) {
            return query.get();
        }
    }

    /** The audit trail; the caller holds the lock. */
    MemoryAudit audit() {
        return audit;
    }

    /** Sends the signal once the current change is complete. */
    void sendLater(Signal signal) {
        pending.add(signal);
    }

    /** Reports the event to listeners once the current change is complete. */
    void reportLater(Consumer<StoreListener> event) {
        events.add(event);
    }

    StoreListeners storeListeners() {
        return storeListeners;
    }

    /** Signals that the job has changed, once the current change is complete. */
    void changed(StoredJob job) {
        changed.add(job.id());
    }

    /**
     * Signals that the job has changed and, if it is due, that its queue has work, once the current change is complete.
     */
    void announce(StoredJob job, Instant now) {
        changed(job);
        if (job.due(now)) {
            sendLater(new Signal(Signal.Kind.WORK, job.spec().queue()));
        }
    }

    private void announceChanged(JobId id) {
        if (changes.add(id)) {
            long sinceLast = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastAnnounced);
            long wait = Math.max(Changes.GATHER_MILLIS, Changes.INTERVAL_MILLIS - sinceLast);
            CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS).execute(() -> {
                lastAnnounced = System.nanoTime();
                listeners.send(changes.take());
            });
        }
    }

    Subscription listen(Consumer<Signal> listener) {
        return listeners.add(listener);
    }

    void close() {
        listeners.clear();
    }
}
