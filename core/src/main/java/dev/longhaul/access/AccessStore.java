package dev.longhaul.access;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores API keys, sessions and the audit trail. Secrets are given as SHA-256 hashes: they are 256 random bits, not
 * passwords.
 */
public interface AccessStore {
    /** Adds a key; called again with the same id, returns the first key. */
    ApiKey add(UUID id, String name, Rights rights, byte[] hash, @Nullable String by);

    /**
     * Finds the keys with these secrets. The result has one entry per secret, in the same order; it is empty for an
     * unknown or revoked key.
     */
    List<Optional<ApiKey>> byHashes(List<byte[]> hashes);

    /** The key with that secret, unless it is revoked. */
    default Optional<ApiKey> byHash(byte[] hash) {
        return byHashes(List.of(hash)).get(0);
    }

    /** Whether a key was ever created, even if it is revoked now: from the first key on, the server requires a key. */
    boolean anyKey();

    /** All keys, also revoked ones, newest first. */
    List<ApiKey> keys();

    /** Revokes a key, with immediate effect on the sessions opened with it; empty when the key does not exist. */
    Optional<ApiKey> revoke(UUID id, String by);

    /** Records that the key was used now. */
    void used(UUID id);

    /** Opens a browser's session for a key. */
    void openSession(byte[] hash, UUID keyId, Duration life);

    /**
     * Finds the keys of these sessions. The result has one entry per session, in the same order; it is empty if the
     * session is not open.
     */
    List<Optional<ApiKey>> bySessions(List<byte[]> hashes);

    /** The key of a session that is open. */
    default Optional<ApiKey> bySession(byte[] hash) {
        return bySessions(List.of(hash)).get(0);
    }

    void closeSession(byte[] hash);

    /** Writes a separate audit entry. Commands of stores write theirs in their transaction; see {@link Actor}. */
    void record(Actor actor, String action, String subject, @Nullable String detail);

    /** Audit entries, newest first; {@code before} is the last id of the previous page. */
    List<AuditEntry> audit(@Nullable UUID before, int limit);
}
