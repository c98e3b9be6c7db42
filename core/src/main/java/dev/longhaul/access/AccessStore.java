package dev.longhaul.access;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps keys, sessions and the audit trail. Secrets come in as SHA-256 hashes: they are 256 random bits, not passwords. */
public interface AccessStore {
    /** Adds a key; the same id again answers the first. */
    ApiKey add(UUID id, String name, Rights rights, byte[] hash, @Nullable String by);

    /** The keys with these secrets, one for each and in the same order; empty where there is none, or it is revoked. */
    List<Optional<ApiKey>> byHashes(List<byte[]> hashes);

    /** The key with that secret, unless it is revoked. */
    default Optional<ApiKey> byHash(byte[] hash) {
        return byHashes(List.of(hash)).get(0);
    }

    /** Whether a key was ever made, revoked ones too: from then on the server asks for one. */
    boolean anyKey();

    /** All of them, also revoked ones, newest first. */
    List<ApiKey> keys();

    /** Takes effect at once, also for the sessions that were opened with it; empty when there is no such key. */
    Optional<ApiKey> revoke(UUID id, String by);

    /** The key was used just now. */
    void used(UUID id);

    /** Opens a browser's session for a key. */
    void openSession(byte[] hash, UUID keyId, Duration life);

    /** The keys of these sessions, one for each and in the same order; empty where none is open. */
    List<Optional<ApiKey>> bySessions(List<byte[]> hashes);

    /** The key of a session that is open. */
    default Optional<ApiKey> bySession(byte[] hash) {
        return bySessions(List.of(hash)).get(0);
    }

    void closeSession(byte[] hash);

    /** Writes an audit entry of its own. Commands of stores write theirs in their transaction; see {@link Actor}. */
    void record(Actor actor, String action, String subject, @Nullable String detail);

    /** The newest first; {@code before} is the last id of the page before. */
    List<AuditEntry> audit(@Nullable UUID before, int limit);
}
