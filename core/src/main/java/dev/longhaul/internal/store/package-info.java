/** Shared parts of the stores: writes in batches, signals about changes, refusals and audit details. */
@NullMarked
package dev.longhaul.internal.store;

import org.jspecify.annotations.NullMarked;
