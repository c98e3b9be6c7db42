package dev.longhaul.access;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A key that authenticates callers; its secret is not stored.
 *
 * @param name shown in {@code createdBy} and in the audit trail
 * @param lastUsedAt approximate, not to the second
 */
public record ApiKey(
        UUID id,
        String name,
        Rights rights,
        Instant createdAt,
        @Nullable String createdBy,
        @Nullable Instant lastUsedAt,
        @Nullable Instant revokedAt) {

    public Role role() {
        return rights.role();
    }

    public boolean revoked() {
        return revokedAt != null;
    }
}
