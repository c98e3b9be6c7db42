/**
 * When schedules fire. Start at {@link dev.longhaul.schedule.Timing}, the three ways to say when, then {@link
 * dev.longhaul.schedule.Timetable} (start, end, number of runs, jitter, what to do after downtime). {@link dev.longhaul.schedule.Schedule} is one with all that a store keeps of it, and the steps of its life. Pure
 * functions of the instants that they are given: nothing here may know a store or a clock.
 */
@NullMarked
package dev.longhaul.schedule;

import org.jspecify.annotations.NullMarked;
