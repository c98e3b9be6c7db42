package dev.longhaul.memory;

import dev.longhaul.access.AccessRules;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Rights;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keys, sessions and the audit trail of this process. */
final class MemoryAccess implements AccessStore {
    /** In the order in which they were added. */
    private final Map<UUID, ApiKey> keys = new LinkedHashMap<>();

    private final Map<ByteBuffer, UUID> hashes = new HashMap<>();
    private final Map<ByteBuffer, Session> sessions = new HashMap<>();
    private final StoreLock lock;

    private record Session(UUID keyId, Instant until) {}

    MemoryAccess(StoreLock lock) {
        this.lock = lock;
    }

    @Override
    public ApiKey add(UUID id, String name, Rights rights, byte[] hash, @Nullable String by) {
        AccessRules.requireKey(name, hash);
        return lock.write(now -> {
            ApiKey first = keys.get(id);
            if (first != null) {
                return first;
            }
            if (hashes.putIfAbsent(copyOf(hash), id) != null) {
                throw AccessRules.taken();
            }
            String creator = by == null ? null : Text.storableOf(by, Limits.KEY);
            var key = new ApiKey(id, name, rights, now, creator, null, null);
            keys.put(id, key);
            lock.audit().add(now, "key.create", id, () -> AuditDetails.of(key));
            return key;
        });
    }

    @Override
    public List<Optional<ApiKey>> byHashes(List<byte[]> given) {
        return lock.read(() -> given.stream()
                .map(hash -> usable(hashes.get(ByteBuffer.wrap(hash))))
                .toList());
    }

    @Override
    public boolean anyKey() {
        return lock.read(() -> !keys.isEmpty());
    }

    @Override
    public List<ApiKey> keys() {
        return lock.read(() -> {
            var newestFirst = new ArrayList<>(keys.values());
            Collections.reverse(newestFirst);
            return List.copyOf(newestFirst);
        });
    }

    @Override
    public Optional<ApiKey> revoke(UUID id, String by) {
        return lock.write(now -> {
            sessions.values().removeIf(session -> session.keyId().equals(id));
            ApiKey revoked = keys.computeIfPresent(id, (same, key) -> key.revoked() ? key : revoked(key, now));
            if (revoked != null) {
                lock.audit().add(now, "key.revoke", id, () -> AuditDetails.of(revoked));
            }
            return Optional.ofNullable(revoked);
        });
    }

    private static ApiKey revoked(ApiKey key, Instant now) {
        return new ApiKey(key.id(), key.name(), key.rights(), key.createdAt(), key.createdBy(), key.lastUsedAt(), now);
    }

    @Override
    public void used(UUID id) {
        lock.update(now -> keys.computeIfPresent(id, (same, key) -> {
            Instant last = key.lastUsedAt();
            boolean recent = last != null && last.plus(AccessRules.USED_WITHIN).isAfter(now);
            return recent
                    ? key
                    : new ApiKey(id, key.name(), key.rights(), key.createdAt(), key.createdBy(), now, key.revokedAt());
        }));
    }

    @Override
    public void openSession(byte[] hash, UUID keyId, Duration life) {
        AccessRules.requireSession(hash, life);
        lock.update(now -> {
            sessions.values().removeIf(session -> !session.until().isAfter(now));
            if (usable(keyId).isEmpty()) {
                throw AccessRules.noKey(keyId);
            }
            sessions.put(copyOf(hash), new Session(keyId, now.plus(life)));
            lock.audit().add(now, "session.open", keyId);
        });
    }

    @Override
    public List<Optional<ApiKey>> bySessions(List<byte[]> given) {
        return lock.read(() -> given.stream()
                .map(hash -> Optional.ofNullable(sessions.get(ByteBuffer.wrap(hash)))
                        .filter(session -> session.until().isAfter(lock.now()))
                        .flatMap(session -> usable(session.keyId())))
                .toList());
    }

    @Override
    public void closeSession(byte[] hash) {
        lock.update(now -> {
            Session closed = sessions.remove(ByteBuffer.wrap(hash));
            if (closed != null) {
                lock.audit().add(now, "session.close", closed.keyId());
            }
        });
    }

    @Override
    public void record(Actor actor, String action, String subject, @Nullable String detail) {
        lock.update(now -> lock.audit().add(now, actor, action, subject, detail));
    }

    @Override
    public List<AuditEntry> audit(@Nullable UUID before, int limit) {
        AccessRules.requirePage(limit);
        return lock.read(() -> lock.audit().page(before, limit));
    }

    private Optional<ApiKey> usable(@Nullable UUID id) {
        return Optional.ofNullable(id).map(keys::get).filter(key -> !key.revoked());
    }

    private static ByteBuffer copyOf(byte[] hash) {
        return ByteBuffer.wrap(hash.clone());
    }
}
