/** Leadership, retention and the watch for failovers. */
@NullMarked
package dev.longhaul.postgres.upkeep;

import org.jspecify.annotations.NullMarked;
