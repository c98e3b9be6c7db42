/**
 * The store under faults: workers killed and stopped, connections cut around COMMIT. Start at {@code LedgerTest}: workers in
 * processes of their own write down what they did ({@link dev.longhaul.postgres.faults.Entry}), and {@link
 * dev.longhaul.postgres.faults.HistoryChecker} compares that with what the store says at the end.
 */
@NullMarked
package dev.longhaul.postgres.faults;

import org.jspecify.annotations.NullMarked;
