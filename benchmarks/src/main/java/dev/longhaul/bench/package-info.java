/**
 * What the store and the engine do per second, beside {@code Ceiling}: the three batched statements that bound them on the
 * same PostgreSQL, in the same run. Start with {@link dev.longhaul.bench.StoreBenchmark} or
 * {@link dev.longhaul.bench.EngineBenchmark}. Only the command line depends on this package.
 */
@NullMarked
package dev.longhaul.bench;

import org.jspecify.annotations.NullMarked;
