package dev.longhaul.server;

import dev.longhaul.access.AccessRules;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.ApiKey;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that were used just now, so that not every request costs a look-up. What is here is believed for a second: that is
 * how long a key that was revoked on another server still opens the doors of this one.
 */
final class KnownKeys {
    private static final Logger LOG = LoggerFactory.getLogger(KnownKeys.class);
    private static final long FRESH = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST = 10_000;

    private final AccessStore store;
    private final Recent<ByteBuffer, Seen> keys = new Recent<>(MOST);
    private final Recent<UUID, Long> noted = new Recent<>(MOST);
    private volatile @Nullable Any any;

    KnownKeys(AccessStore store) {
        this.store = store;
    }

    private record Seen(ApiKey key, long at) {}

    private record Any(boolean exists, long at) {}

    /** The key, if it was looked up just now. */
    @Nullable
    ApiKey fresh(byte[] hash) {
        Seen seen = keys.get(ByteBuffer.wrap(hash));
        return seen != null && fresh(seen.at) ? seen.key : null;
    }

    /** Whether the secret was right when it was last looked up: then it is no guess. */
    boolean wasRight(byte[] hash) {
        return keys.get(ByteBuffer.wrap(hash)) != null;
    }

    Optional<ApiKey> byHash(byte[] hash) {
        return looked(hash, () -> store.byHash(hash));
    }

    Optional<ApiKey> bySession(byte[] hash) {
        return looked(hash, () -> store.bySession(hash));
    }

    boolean anyKey() {
        Any last = any;
        if (last == null || !fresh(last.at)) {
            // From before the look-up on: what changes during it must not be believed for longer.
            long at = System.nanoTime();
            last = new Any(store.anyKey(), at);
            any = last;
        }
        return last.exists;
    }

    /** Keys were changed here: that is to be seen at once. */
    void forget() {
        keys.clear();
        any = null;
    }

    /** Writes down that a key is in use, now and then, and not while the caller waits. */
    void used(UUID id, Executor executor) {
        Long last = noted.get(id);
        long now = System.nanoTime();
        if (last != null && now - last < AccessRules.USED_WITHIN.toNanos()) {
            return;
        }
        noted.put(id, now);
        executor.execute(() -> {
            try {
                store.used(id);
            } catch (RuntimeException e) {
                LOG.debug("could not write down that key {} was used", id, e);
            }
        });
    }

    private Optional<ApiKey> looked(byte[] hash, Supplier<Optional<ApiKey>> look) {
        long at = System.nanoTime();
        Optional<ApiKey> found = look.get();
        found.ifPresentOrElse(
                key -> keys.put(ByteBuffer.wrap(hash.clone()), new Seen(key, at)),
                () -> keys.remove(ByteBuffer.wrap(hash)));
        return found;
    }

    private static boolean fresh(long at) {
        return System.nanoTime() - at < FRESH;
    }
}
