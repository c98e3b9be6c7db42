/**
 * The commands about schedules: {@link dev.longhaul.cli.client.schedule.ScheduleCommands} is their table.
 */
@NullMarked
package dev.longhaul.cli.client.schedule;

import org.jspecify.annotations.NullMarked;
