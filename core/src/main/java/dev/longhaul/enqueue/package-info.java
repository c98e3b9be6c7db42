/**
 * Asking for jobs, the same way through every door. Start at {@link dev.longhaul.enqueue.Jobs}: it finds the definition, checks
 * params and options, and stores; {@link dev.longhaul.store.SharedWrites} makes many single calls share one commit.
 */
@NullMarked
package dev.longhaul.enqueue;

import org.jspecify.annotations.NullMarked;
