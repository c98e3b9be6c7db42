package dev.longhaul.memory;

import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Whoever waits for signals. They are called outside the store's lock, mostly by the thread that made the change. */
final class Listeners {
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Told apart by identity, so that one consumer may listen twice. */
    private static final class Listener {
        final Consumer<Signal> consumer;

        Listener(Consumer<Signal> consumer) {
            this.consumer = consumer;
        }
    }

    Subscription add(Consumer<Signal> consumer) {
        var listener = new Listener(consumer);
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    void tell(Collection<Signal> signals) {
        for (Signal signal : signals) {
            for (Listener listener : listeners) {
                try {
                    listener.consumer.accept(signal);
                } catch (RuntimeException e) {
                    // A signal is a hint: whoever drops one looks again later. The change it tells of is committed.
                    System.getLogger(Listeners.class.getName())
                            .log(System.Logger.Level.WARNING, "a listener failed on " + signal, e);
                }
            }
        }
    }

    boolean none() {
        return listeners.isEmpty();
    }

    void clear() {
        listeners.clear();
    }
}
