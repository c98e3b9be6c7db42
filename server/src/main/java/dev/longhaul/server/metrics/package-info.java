/**
 * Figures for Prometheus. Start with {@link dev.longhaul.server.metrics.MeteredStore}: everything that happens to jobs passes
 * through the store, so it is counted there and nowhere else. What the whole cluster shares is looked up when somebody asks
 * ({@link dev.longhaul.server.metrics.StoreGauges}). Labels are names of definitions, queues and operations, never ids.
 */
@NullMarked
package dev.longhaul.server.metrics;

import org.jspecify.annotations.NullMarked;
