/** Schedules and what they fire. */
@NullMarked
package dev.longhaul.postgres.schedule;

import org.jspecify.annotations.NullMarked;
