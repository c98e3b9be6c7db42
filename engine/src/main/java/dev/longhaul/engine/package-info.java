/**
 * Claims jobs, runs them, extends their leases and stores how they ended. Start at {@link dev.longhaul.engine.Worker}.
 * Of a store it knows only {@link dev.longhaul.spi.WorkSource}.
 */
@NullMarked
package dev.longhaul.engine;

import org.jspecify.annotations.NullMarked;
