/**
 * The benchmark {@code longhaul bench rpc}: measures the RPC services with clients in another process. Only
 * {@code BenchMain} depends on this package.
 */
@NullMarked
package dev.longhaul.bench.rpc;

import org.jspecify.annotations.NullMarked;
