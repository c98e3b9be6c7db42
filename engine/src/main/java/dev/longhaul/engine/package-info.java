/**
 * Claims jobs, runs them, extends their leases and stores their ends. Start at {@link dev.longhaul.engine.Worker}.
 * It depends only on {@link dev.longhaul.spi.WorkSource}, not on a particular store.
 */
@NullMarked
package dev.longhaul.engine;

import org.jspecify.annotations.NullMarked;
