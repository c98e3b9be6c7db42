/**
 * Accepts writes of jobs while the store is unavailable: an {@link dev.longhaul.intake.Intake} appends them to a durable log, and a writer
 * stores them later. Start with {@link dev.longhaul.intake.IntakeRecord}. The store remains the only source of truth: nothing here decides
 * about the state of a stored job.
 */
@NullMarked
package dev.longhaul.intake;

import org.jspecify.annotations.NullMarked;
