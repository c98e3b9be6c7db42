/** The record of jobs: inserts, reads, commands, queues and definitions. */
@NullMarked
package dev.longhaul.postgres.job;

import org.jspecify.annotations.NullMarked;
