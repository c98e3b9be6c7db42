/**
 * The engine under faults: workers in processes of their own are killed, stopped and asked to end, the database goes away, code
 * misbehaves. Start at {@link dev.longhaul.faults.Tasks}, the jobs: what they do they write into the {@link
 * dev.longhaul.faults.Journal}, a table of the tests' own, and that record is what is judged.
 */
@NullMarked
package dev.longhaul.faults;

import org.jspecify.annotations.NullMarked;
