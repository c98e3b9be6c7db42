package dev.longhaul.intake;

import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Rights;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds keys and sessions in the store; while the store is unavailable, those that it has returned within the last hour.
 * So callers can log in during an outage, also with a key that another server revoked in its last moments.
 */
final class LastKnownAccess implements AccessStore {
    static final Duration STALE = Duration.ofHours(1);
    private static final int MOST = 10_000;

    private final AccessStore store;
    private final LongSupplier nanos;
    private final Outage outage;
    private final Map<ByteBuffer, Known> keys = new Bounded();
    private final Map<ByteBuffer, Known> sessions = new Bounded();
    private volatile @Nullable Any any;

    private record Known(ApiKey key, long at) {}

    private record Any(boolean exists, long at) {}

    LastKnownAccess(AccessStore store, LongSupplier nanos, Outage outage) {
        this.store = store;
        this.nanos = nanos;
        this.outage = outage;
    }

    @Override
    public List<Optional<ApiKey>> byHashes(List<byte[]> hashes) {
        return find(keys, hashes, store::byHashes);
    }

    @Override
    public Optional<ApiKey> byHash(byte[] hash) {
        return find(keys, List.of(hash), one -> List.of(store.byHash(hash))).get(0);
    }

    @Override
    public List<Optional<ApiKey>> bySessions(List<byte[]> hashes) {
        return find(sessions, hashes, store::bySessions);
    }

    @Override
    public Optional<ApiKey> bySession(byte[] hash) {
        return find(sessions, List.of(hash), one -> List.of(store.bySession(hash)))
                .get(0);
    }

    private List<Optional<ApiKey>> find(
            Map<ByteBuffer, Known> known, List<byte[]> hashes, Function<List<byte[]>, List<Optional<ApiKey>>> query) {
        long at = nanos.getAsLong();
        List<Optional<ApiKey>> found = outage.ifAvailable(() -> query.apply(hashes));
        if (found == null) {
            return hashes.stream()
                    .map(hash -> Optional.of(lastKnown(known, hash)))
                    .toList();
        }
        synchronized (known) {
            for (int i = 0; i < hashes.size(); i++) {
                ByteBuffer hash = ByteBuffer.wrap(hashes.get(i).clone());
                known.remove(hash);
                found.get(i).ifPresent(key -> known.put(hash, new Known(key, at)));
            }
        }
        return found;
    }

    private ApiKey lastKnown(Map<ByteBuffer, Known> known, byte[] hash) {
        synchronized (known) {
            Known last = known.get(ByteBuffer.wrap(hash));
            if (last == null || isStale(last.at())) {
                throw unavailable();
            }
            return last.key();
        }
    }

    @Override
    public boolean anyKey() {
        long at = nanos.getAsLong();
        Boolean exists = outage.ifAvailable(store::anyKey);
        if (exists != null) {
            any = new Any(exists, at);
            return exists;
        }
        Any last = any;
        if (last == null || isStale(last.at())) {
            throw unavailable();
        }
        return last.exists();
    }

    private boolean isStale(long at) {
        return nanos.getAsLong() - at > STALE.toNanos();
    }

    private static LonghaulException unavailable() {
        return new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable, and the key is not known yet");
    }

    private void forget() {
        for (Map<ByteBuffer, Known> known : List.of(keys, sessions)) {
            synchronized (known) {
                known.clear();
            }
        }
    }

    // Changes

    @Override
    public ApiKey add(UUID id, String name, Rights rights, byte[] hash, @Nullable String by) {
        any = null;
        return store.add(id, name, rights, hash, by);
    }

    @Override
    public Optional<ApiKey> revoke(UUID id, String by) {
        Optional<ApiKey> revoked = store.revoke(id, by);
        forget();
        return revoked;
    }

    @Override
    public void closeSession(byte[] hash) {
        store.closeSession(hash);
        forget();
    }

    @Override
    public void openSession(byte[] hash, UUID keyId, Duration life) {
        store.openSession(hash, keyId, life);
    }

    @Override
    public void used(UUID id) {
        store.used(id);
    }

    @Override
    public void record(Actor actor, String action, String subject, @Nullable String detail) {
        store.record(actor, action, subject, detail);
    }

    @Override
    public List<ApiKey> keys() {
        return store.keys();
    }

    @Override
    public List<AuditEntry> audit(@Nullable UUID before, int limit) {
        return store.audit(before, limit);
    }

    /** Removes the least recently used entry. */
    private static final class Bounded extends LinkedHashMap<ByteBuffer, Known> {
        private static final long serialVersionUID = 1;

        Bounded() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Known> eldest) {
            return size() > MOST;
        }
    }
}
