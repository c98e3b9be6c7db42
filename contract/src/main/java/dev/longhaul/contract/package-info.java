/**
 * The contract of every store, as tests. Start at {@link dev.longhaul.contract.JobStoreContract}: a store's own test
 * extends it and opens a {@link dev.longhaul.contract.StoreFixture}, no more. The clock of a store may stand still
 * or run on; the tests only move it forward.
 */
@NullMarked
package dev.longhaul.contract;

import org.jspecify.annotations.NullMarked;
