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

/** Lets one caller at a time in to the jobs, as PostgreSQL's transactions do; signals go out once the caller is out again. */
final class Gate {
    private final Object lock = new Object();
    private final Listeners listeners = new Listeners();
    private final StoreListeners storeListeners = new StoreListeners();
    private final InstantSource clock;
    private final Changes changes = new Changes();
    private final MemoryAudit audit = new MemoryAudit();
    private volatile long toldChanges = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(Changes.INTERVAL_MILLIS);
    private Set<Signal> pending = new LinkedHashSet<>();
    private List<JobId> changed = new ArrayList<>();
    private List<Consumer<StoreListener>> events = new ArrayList<>();

    Gate(InstantSource clock) {
        this.clock = clock;
    }

    Instant now() {
        return StoredJob.micros(clock.instant());
    }

    /** Makes a change under the lock, then lets the listeners know. One that is refused has nothing to tell. */
    <T> T write(Function<Instant, T> change) {
        T answer;
        Set<Signal> signals;
        List<JobId> jobs;
        List<Consumer<StoreListener>> reports;
        synchronized (lock) {
            pending = new LinkedHashSet<>();
            changed = new ArrayList<>();
            events = new ArrayList<>();
            answer = change.apply(now());
            signals = pending;
            jobs = changed;
            reports = events;
        }
        reports.forEach(storeListeners::report);
        listeners.tell(signals);
        if (!listeners.none()) {
            jobs.forEach(this::tellChanged);
        }
        return answer;
    }

    void update(Consumer<Instant> change) {
        write(now -> {
            change.accept(now);
            return now;
        });
    }

    <T> T read(Supplier<T> question) {
        synchronized (lock) {
            return question.get();
        }
    }

    /** The audit trail; the caller holds the lock. */
    MemoryAudit audit() {
        return audit;
    }

    /** To be sent once the change under way is made. */
    void tellLater(Signal signal) {
        pending.add(signal);
    }

    /** To be reported once the change under way is made. */
    void reportLater(Consumer<StoreListener> event) {
        events.add(event);
    }

    StoreListeners storeListeners() {
        return storeListeners;
    }

    /** The change under way is about that job. */
    void changed(StoredJob job) {
        changed.add(job.id());
    }

    /** Tells of the job once the change under way is made; of work, if it is due then. */
    void announce(StoredJob job, Instant now) {
        changed(job);
        if (job.due(now)) {
            tellLater(new Signal(Signal.Kind.WORK, job.spec().queue()));
        }
    }

    private void tellChanged(JobId id) {
        if (changes.add(id)) {
            long sinceLast = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - toldChanges);
            long wait = Math.max(Changes.GATHER_MILLIS, Changes.INTERVAL_MILLIS - sinceLast);
            CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS).execute(() -> {
                toldChanges = System.nanoTime();
                listeners.tell(changes.take());
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
