package dev.longhaul.server.access;

import dev.longhaul.access.AccessRules;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.ApiKey;
import dev.longhaul.api.http.Recent;
import dev.longhaul.internal.store.SharedWrites;
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
 * Caches keys for a second, so that not every request causes a look-up. During that second, this server still accepts a
 * key that was revoked on another server.
 *
 * <p>Look-ups of secrets that are not cached share statements, and one statement of each kind runs at a time. So
 * guessing keys, however fast, uses at most two database connections, and valid keys are still found.
 */
final class KnownKeys {
    private static final Logger LOG = LoggerFactory.getLogger(KnownKeys.class);
    private static final long FRESH = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST = 10_000;

    private final AccessStore store;
    private final Recent<ByteBuffer, Seen> keys = new Recent<>(MOST);
    private final SharedWrites<byte[], Optional<ApiKey>> keyLookups;
    private final SharedWrites<byte[], Optional<ApiKey>> sessionLookups;
    private final Recent<UUID, Long> noted = new Recent<>(MOST);
    private volatile @Nullable Any any;

    KnownKeys(AccessStore store) {
        this.store = store;
        this.keyLookups = new SharedWrites<>(store::byHashes, hash -> new Object());
        this.sessionLookups = new SharedWrites<>(store::bySessions, hash -> new Object());
    }

    private record Seen(ApiKey key, long at) {}

    private record Any(boolean exists, long at) {}

    /** Returns the key if it is in the cache and not older than a second; null otherwise. */
    @Nullable
    ApiKey fresh(byte[] hash) {
        Seen seen = keys.get(ByteBuffer.wrap(hash));
        return seen != null && fresh(seen.at) ? seen.key : null;
    }

    Optional<ApiKey> byHash(byte[] hash) {
        return lookUp(hash, () -> wasValid(hash) ? store.byHash(hash) : keyLookups.write(hash));
    }

    Optional<ApiKey> bySession(byte[] hash) {
        return lookUp(hash, () -> wasValid(hash) ? store.bySession(hash) : sessionLookups.write(hash));
    }

    /** Returns whether the last look-up found a key. Such look-ups are rare: one a second for each key. */
    private boolean wasValid(byte[] hash) {
        return keys.get(ByteBuffer.wrap(hash)) != null;
    }

    boolean anyKey() {
        Any last = any;
        if (last == null || !fresh(last.at)) {
            // The time before the query, so that a key that is created during the query is found in time.
            long at = System.nanoTime();
            last = new Any(store.anyKey(), at);
            any = last;
        }
        return last.exists;
    }

    /** Clears the cache after a change on this server. */
    void forget() {
        keys.clear();
        any = null;
    }

    /** Stores that a key was used, at most once per interval and in the background. */
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
                LOG.debug("storing the last use of key {} failed", id, e);
            }
        });
    }

    private Optional<ApiKey> lookUp(byte[] hash, Supplier<Optional<ApiKey>> query) {
        long at = System.nanoTime();
        Optional<ApiKey> found = query.get();
        found.ifPresentOrElse(
                key -> keys.put(ByteBuffer.wrap(hash.clone()), new Seen(key, at)),
                () -> keys.remove(ByteBuffer.wrap(hash)));
        return found;
    }

    private static boolean fresh(long at) {
        return System.nanoTime() - at < FRESH;
    }
}
