/**
 * The program behind {@code ./longhaul bench}. Each benchmark has a package of its own and compares with a control in the same run, mostly
 * with {@code Ceiling}: the three batched statements that bound the store on the same PostgreSQL. Nothing depends on this package.
 */
@NullMarked
package dev.longhaul.bench;

import org.jspecify.annotations.NullMarked;
