/** Schedules and their fires. */
@NullMarked
package dev.longhaul.postgres.schedule;

import org.jspecify.annotations.NullMarked;
