package dev.longhaul.spi;

import dev.longhaul.job.Job;

/**
 * The outcome of a {@link dev.longhaul.spi.JobCommand}.
 *
 * @param job the job after the command
 * @param changed whether the command changed the job; false when it was already as requested
 */
public record CommandResult(Job job, boolean changed) {}
