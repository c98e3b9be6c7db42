/**
 * The store under faults: workers killed and suspended, connections cut around COMMIT. Start at {@code LedgerTest}:
 * workers in separate processes record their actions ({@link dev.longhaul.postgres.faults.Entry}), and {@link
 * dev.longhaul.postgres.faults.HistoryChecker} compares them with the stored data at the end.
 */
@NullMarked
package dev.longhaul.postgres.faults;

import org.jspecify.annotations.NullMarked;
