/**
 * Where job state lives, as seen by everything above it. Start at {@link dev.longhaul.store.JobStore}; its meaning is the
 * contract test in {@code contract}, which every store passes without exemptions. Nothing here may know a database.
 */
@NullMarked
package dev.longhaul.store;

import org.jspecify.annotations.NullMarked;
