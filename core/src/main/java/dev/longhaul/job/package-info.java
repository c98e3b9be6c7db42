/**
 * A job, its states and what may happen to it. Start at {@link dev.longhaul.job.JobState}, the state machine, then {@link
 * dev.longhaul.job.JobSpec} (what is asked for), {@link dev.longhaul.job.Job} (what became of it), {@link
 * dev.longhaul.job.Claim} and {@link dev.longhaul.work.Transition} (how a running one is changed). Plain values only:
 * nothing here may know a store, a clock of its own, a thread or a transport.
 */
@NullMarked
package dev.longhaul.job;

import org.jspecify.annotations.NullMarked;
