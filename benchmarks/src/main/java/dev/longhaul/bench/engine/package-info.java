/**
 * The benchmark {@code longhaul bench engine}: measures the engine as shipped, through the Java library. Only
 * {@code BenchMain} depends on this package.
 */
@NullMarked
package dev.longhaul.bench.engine;

import org.jspecify.annotations.NullMarked;
