/**
 * A job, its states and its changes. Start at {@link dev.longhaul.job.JobState}, the state machine, then
 * {@link dev.longhaul.job.JobSpec} (the request), {@link dev.longhaul.job.Job} (the stored job),
 * {@link dev.longhaul.job.Claim} and {@link dev.longhaul.work.Transition} (how a running job is changed). Plain values
 * only: this package depends on no store, clock, thread or transport.
 */
@NullMarked
package dev.longhaul.job;

import org.jspecify.annotations.NullMarked;
