/**
 * The benchmark {@code longhaul bench store}: measures the store as shipped, compared with {@code Ceiling}. Only
 * {@code BenchMain} depends on this package.
 */
@NullMarked
package dev.longhaul.bench.store;

import org.jspecify.annotations.NullMarked;
