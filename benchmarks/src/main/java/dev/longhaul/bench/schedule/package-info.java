/**
 * {@code longhaul bench schedules}: lateness of schedules, and the cost of many. Only {@code BenchMain} depends on this
 * package.
 */
@NullMarked
package dev.longhaul.bench.schedule;

import org.jspecify.annotations.NullMarked;
