package dev.longhaul.postgres.work;

import dev.longhaul.postgres.PostgresStore;

/**
 * Stores whose claims never count as slow. With scan floors, the first job of a new lane waits for the next full scan
 * ({@link ClaimFloor}), so a test on a busy machine would claim nothing.
 */
public final class QuickClaims {
    private QuickClaims() {}

    public static PostgresStore of(PostgresStore store) {
        ((PostgresWork) store.work()).slowNanos = Long.MAX_VALUE / 2;
        return store;
    }
}
