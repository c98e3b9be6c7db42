/**
 * The contract of every store, as tests. Start at {@link dev.longhaul.contract.JobStoreContract}: a store's own test
 * only extends it and opens a {@link dev.longhaul.contract.StoreFixture}. The clock of a store may run or stand still;
 * the tests only move it forward.
 */
@NullMarked
package dev.longhaul.contract;

import org.jspecify.annotations.NullMarked;
