/** Queues and their statistics. Start at {@link dev.longhaul.queue.QueueStats}. */
@NullMarked
package dev.longhaul.queue;

import org.jspecify.annotations.NullMarked;
