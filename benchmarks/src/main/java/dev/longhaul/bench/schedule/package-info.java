/** {@code longhaul bench schedules}: how punctual schedules are, and what many cost. Only {@code BenchMain} depends on this package. */
@NullMarked
package dev.longhaul.bench.schedule;

import org.jspecify.annotations.NullMarked;
