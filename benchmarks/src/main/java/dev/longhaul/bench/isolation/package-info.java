/**
 * The benchmark {@code longhaul bench isolation}: measures the cost of a separate process per run. Only
 * {@code BenchMain} depends on this package.
 */
@NullMarked
package dev.longhaul.bench.isolation;

import org.jspecify.annotations.NullMarked;
