/**
 * The benchmark {@code longhaul bench http}: measures the REST API under load from another process. Only
 * {@code BenchMain} depends on this package.
 */
@NullMarked
package dev.longhaul.bench.http;

import org.jspecify.annotations.NullMarked;
