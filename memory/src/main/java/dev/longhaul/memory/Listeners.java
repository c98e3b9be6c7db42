package dev.longhaul.memory;

import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The listeners for signals. They are called outside the store's lock, mostly by the thread that made the change. */
final class Listeners {
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Compared by identity, so that one consumer may be registered twice. */
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

    void send(Collection<Signal> signals) {
        for (Signal signal : signals) {
            for (Listener listener : listeners) {
                try {
                    listener.consumer.accept(signal);
                } catch (RuntimeException e) {
                    // Signals may be lost, so receivers poll as well; the change itself is committed.
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
