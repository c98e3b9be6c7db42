/**
 * Computes when schedules fire. Start at {@link dev.longhaul.schedule.Timing}, the three kinds of timing, then {@link
 * dev.longhaul.schedule.Timetable} (start, end, number of runs, jitter, what to do after downtime). {@link
 * dev.longhaul.schedule.Schedule} adds the stored state and the steps of its lifecycle. All functions depend only on
 * the given instants: this package uses no store and no clock.
 */
@NullMarked
package dev.longhaul.schedule;

import org.jspecify.annotations.NullMarked;
