/**
 * Where job state lives, as seen by everything above it. Start at {@link dev.longhaul.store.JobStore}; its meaning is the
 * contract test in the testkit, which every store passes without exemptions. Nothing here may know a database.
 */
@NullMarked
package dev.longhaul.store;

import org.jspecify.annotations.NullMarked;
