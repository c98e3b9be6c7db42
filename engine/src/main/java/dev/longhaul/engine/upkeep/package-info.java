/**
 * Maintenance tasks that one process does for the cluster: ending expired runs, removing old jobs, firing schedules.
 * Start at {@link
 * dev.longhaul.engine.upkeep.Scheduler}.
 */
@NullMarked
package dev.longhaul.engine.upkeep;

import org.jspecify.annotations.NullMarked;
