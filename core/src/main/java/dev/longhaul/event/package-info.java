/**
 * The events of a job, in order. Start at {@link dev.longhaul.event.JobEvent}. An event's position rises per job in
 * commit order and is the cursor of every reader; run and sequence come from the reporter and identify repeats.
 */
@NullMarked
package dev.longhaul.event;

import org.jspecify.annotations.NullMarked;
