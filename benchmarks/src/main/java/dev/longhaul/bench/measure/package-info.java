/**
 * Shared parts of the benchmarks: options, the database, the load, controls and tables. Start with
 * {@link dev.longhaul.bench.measure.Bench}. Does not depend on the benchmarks.
 */
@NullMarked
package dev.longhaul.bench.measure;

import org.jspecify.annotations.NullMarked;
