package dev.longhaul.access;

import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The caller on whose behalf this thread changes something. Commands of a store that run inside {@link #act} write an
 * {@link AuditEntry} in the same transaction: if the entry cannot be written, the command fails and changes nothing.
 * Outside of {@link #act}, as in an application that uses the library, no entries are written.
 *
 * @param name the name of the API key, or another name where there is none; names are not unique
 * @param keyId the id of the API key; null for callers without a key
 */
public record Actor(String name, @Nullable UUID keyId) {
    private static final ThreadLocal<Actor> CURRENT = new ThreadLocal<>();

    /** A caller without an API key. */
    public static Actor named(String name) {
        return new Actor(name, null);
    }

    public static Actor of(ApiKey key) {
        return new Actor(key.name(), key.id());
    }

    /** The actor of this thread; null when nothing is recorded. */
    public static @Nullable Actor current() {
        return CURRENT.get();
    }

    /** Runs commands on behalf of this actor. */
    public <T> T act(Supplier<T> commands) {
        Actor outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return commands.get();
        } finally {
            restore(outer);
        }
    }

    /** Like {@link #act}, for commands that throw checked exceptions. */
    public <T> T call(Callable<T> commands) throws Exception {
        Actor outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return commands.call();
        } finally {
            restore(outer);
        }
    }

    /** Runs commands on behalf of this actor. */
    public void run(Runnable commands) {
        act(() -> {
            commands.run();
            return this;
        });
    }

    private static void restore(@Nullable Actor outer) {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }
}
