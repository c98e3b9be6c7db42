/** {@code longhaul bench store}: the store as shipped, beside {@code Ceiling}. Only {@code BenchMain} depends on this package. */
@NullMarked
package dev.longhaul.bench.store;

import org.jspecify.annotations.NullMarked;
