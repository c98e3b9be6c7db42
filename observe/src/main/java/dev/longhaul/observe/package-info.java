/**
 * Metrics and traces of the engine, with or without the server. {@link dev.longhaul.observe.OpenTelemetryTracing} creates spans of runs: a job
 * stores the trace context of the request that created it, and its runs continue that trace in any process.
 * {@link dev.longhaul.observe.Meters} counts the operations of a process, as a listener of its store;
 * {@link dev.longhaul.observe.StoreGauges} reads the metrics of the whole cluster. Labels are names of definitions, queues and operations,
 * never ids.
 */
@NullMarked
package dev.longhaul.observe;

import org.jspecify.annotations.NullMarked;
