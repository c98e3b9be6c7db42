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
        Role role,
        Instant createdAt,
        @Nullable String createdBy,
        @Nullable Instant lastUsedAt,
        @Nullable Instant revokedAt) {

    public boolean revoked() {
        return revokedAt != null;
    }
}
