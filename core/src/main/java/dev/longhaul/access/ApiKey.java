package dev.longhaul.access;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A key that callers prove themselves with; the secret itself is nowhere kept.
 *
 * @param name told in {@code createdBy} and in the audit trail
 * @param lastUsedAt about when, not to the second
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
