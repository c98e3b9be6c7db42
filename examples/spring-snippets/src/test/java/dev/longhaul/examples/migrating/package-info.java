/** The other side of the guide to migration: the same jobs with JobRunr, db-scheduler and Quartz. Compiled, not run. */
@NullMarked
package dev.longhaul.examples.migrating;

import org.jspecify.annotations.NullMarked;
