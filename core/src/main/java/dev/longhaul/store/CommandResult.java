package dev.longhaul.store;

import dev.longhaul.job.Job;

/**
 * The outcome of a {@link dev.longhaul.job.JobCommand}.
 *
 * @param job the job after the command
 * @param changed whether the command changed the job; false when it was already as requested
 */
public record CommandResult(Job job, boolean changed) {}
