/** {@code longhaul bench isolation}: what a process of its own costs a run. Only {@code BenchMain} depends on this package. */
@NullMarked
package dev.longhaul.bench.isolation;

import org.jspecify.annotations.NullMarked;
