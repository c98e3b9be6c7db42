/**
 * The commands for jobs. Start with {@link dev.longhaul.cli.client.job.JobCommands}, which lists them;
 * {@link dev.longhaul.cli.client.job.Follow} reads a job's events until it has ended.
 */
@NullMarked
package dev.longhaul.cli.client.job;

import org.jspecify.annotations.NullMarked;
