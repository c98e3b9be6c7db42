/**
 * The contract of every store, as tests. Start at {@link dev.longhaul.testkit.store.JobStoreContract}: a store's own test
 * extends it and opens a {@link dev.longhaul.testkit.store.StoreFixture}, no more. The clock of a store may stand still
 * or run on; the tests only move it forward.
 */
@NullMarked
package dev.longhaul.testkit.store;

import org.jspecify.annotations.NullMarked;
