/**
 * When schedules fire. Start at {@link dev.longhaul.schedule.Timing}, the three kinds of timing, then
 * {@link dev.longhaul.schedule.Timetable} (start, end, number of runs, jitter, what to do after downtime).
 * {@link dev.longhaul.schedule.Schedule} adds the stored state and the steps of its lifecycle. Pure functions of the
 * given instants: this package depends on no store and no clock.
 */
@NullMarked
package dev.longhaul.schedule;

import org.jspecify.annotations.NullMarked;
