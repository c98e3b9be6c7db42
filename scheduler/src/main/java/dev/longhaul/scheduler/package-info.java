/**
 * What one process does for all of them. Start at {@link dev.longhaul.scheduler.Scheduler}; each task is a {@link
 * dev.longhaul.scheduler.Duty}, done by whoever {@link dev.longhaul.scheduler.Leader leads}. Every write of a duty carries the
 * leadership and changes nothing once somebody else leads.
 */
@NullMarked
package dev.longhaul.scheduler;

import org.jspecify.annotations.NullMarked;
