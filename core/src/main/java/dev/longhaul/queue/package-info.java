/** Named lanes of jobs and how they stand. Start at {@link dev.longhaul.queue.QueueStats}. */
@NullMarked
package dev.longhaul.queue;

import org.jspecify.annotations.NullMarked;
