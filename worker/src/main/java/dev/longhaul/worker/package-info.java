/**
 * Runs jobs. Start at {@link dev.longhaul.worker.Worker}, which ties the parts together: ClaimLoop takes due jobs, Slots gives each
 * a thread, JobRunner runs it and turns what came back into one transition, Completions stores that, LeaseKeeper keeps the job ours
 * meanwhile. Knows stores only by their interface.
 */
@NullMarked
package dev.longhaul.worker;

import org.jspecify.annotations.NullMarked;
