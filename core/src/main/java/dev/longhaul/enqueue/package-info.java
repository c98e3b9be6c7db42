/**
 * Creating and changing jobs, the same way for every transport. Start at {@link dev.longhaul.enqueue.Jobs}: it finds the
 * definition, checks params and options, and stores; {@link dev.longhaul.store.SharedWrites} makes many single calls share one
 * commit. A change to a job is a {@link dev.longhaul.job.JobCommand}.
 */
@NullMarked
package dev.longhaul.enqueue;

import org.jspecify.annotations.NullMarked;
