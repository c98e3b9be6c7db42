/**
 * The commands for schedules, listed in {@link dev.longhaul.cli.client.schedule.ScheduleCommands}.
 */
@NullMarked
package dev.longhaul.cli.client.schedule;

import org.jspecify.annotations.NullMarked;
