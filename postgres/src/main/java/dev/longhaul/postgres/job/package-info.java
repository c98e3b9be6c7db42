/** Jobs, queues and definitions in the database: inserts, reads and commands. */
@NullMarked
package dev.longhaul.postgres.job;

import org.jspecify.annotations.NullMarked;
