/**
 * The engine under faults: worker processes are killed, stopped and terminated, the database becomes unavailable, code
 * misbehaves. Start at {@link dev.longhaul.faults.Tasks}, the jobs: they write their activity to the
 * {@link dev.longhaul.faults.Journal}, a table of the tests, and the tests check that record.
 */
@NullMarked
package dev.longhaul.faults;

import org.jspecify.annotations.NullMarked;
