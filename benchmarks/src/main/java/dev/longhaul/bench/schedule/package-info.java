/**
 * The benchmark {@code longhaul bench schedules}: measures the lateness of schedules, and the cost of many schedules.
 * Only {@code BenchMain} depends on this package.
 */
@NullMarked
package dev.longhaul.bench.schedule;

import org.jspecify.annotations.NullMarked;
