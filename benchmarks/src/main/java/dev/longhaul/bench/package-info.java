/**
 * What the store and the engine do per second, beside {@code Ceiling}: the three batched statements that bound them on the
 * same PostgreSQL, in the same run. Start with {@code StoreBenchmark} or
 * {@code EngineBenchmark}. Nothing depends on this package.
 */
@NullMarked
package dev.longhaul.bench;

import org.jspecify.annotations.NullMarked;
