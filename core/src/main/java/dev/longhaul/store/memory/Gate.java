package dev.longhaul.store.memory;

import dev.longhaul.store.Signal;
import dev.longhaul.store.Subscription;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Lets one caller at a time in to the jobs, as PostgreSQL's transactions do; signals go out once the caller is out again. */
final class Gate {
    private final Object lock = new Object();
    private final Listeners listeners = new Listeners();
    private final InstantSource clock;
    private Set<Signal> pending = new LinkedHashSet<>();

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
        synchronized (lock) {
            pending = new LinkedHashSet<>();
            answer = change.apply(now());
            signals = pending;
        }
        listeners.tell(signals);
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

    /** To be sent once the change under way is made. */
    void tellLater(Signal signal) {
        pending.add(signal);
    }

    /** Tells of the job once the change under way is made, if it is due then. */
    void announce(StoredJob job, Instant now) {
        if (job.due(now)) {
            tellLater(new Signal(Signal.Kind.WORK, job.spec().queue()));
        }
    }

    Subscription listen(Consumer<Signal> listener) {
        return listeners.add(listener);
    }

    void close() {
        listeners.clear();
    }
}
