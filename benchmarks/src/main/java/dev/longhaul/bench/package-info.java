/**
 * The program behind {@code ./longhaul bench}. Each benchmark has its own package and compares with a control in the
 * same run, usually with {@code Ceiling}: the three batched statements that bound the store on the same PostgreSQL.
 * Nothing depends on this package.
 */
@NullMarked
package dev.longhaul.bench;

import org.jspecify.annotations.NullMarked;
