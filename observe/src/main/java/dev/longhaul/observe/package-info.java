/**
 * Metrics and traces of the engine, with or without the server. {@link dev.longhaul.observe.OpenTelemetryTracing} creates spans of runs: a job
 * carries the trace context of the request that created it, and its runs continue that trace in whichever process they happen.
 * {@link dev.longhaul.observe.Meters} counts what a process does to jobs, as a listener of its store;
 * {@link dev.longhaul.observe.StoreGauges} reads what the whole cluster shares. Labels are names of definitions, queues and operations, never
 * ids.
 */
@NullMarked
package dev.longhaul.observe;

import org.jspecify.annotations.NullMarked;
