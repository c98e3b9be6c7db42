/**
 * What the store does per second, beside {@code Ceiling}: the three batched statements that bound it on the same
 * PostgreSQL, in the same run. Start with {@link dev.longhaul.bench.StoreBenchmark}. Only the command line depends on
 * this package.
 */
@NullMarked
package dev.longhaul.bench;

import org.jspecify.annotations.NullMarked;
