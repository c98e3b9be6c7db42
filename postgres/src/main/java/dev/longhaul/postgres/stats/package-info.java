/** Statistics for the dashboard. */
@NullMarked
package dev.longhaul.postgres.stats;

import org.jspecify.annotations.NullMarked;
