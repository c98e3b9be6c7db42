/**
 * The program behind {@code ./longhaul bench}. Each benchmark has its own package, and compares its results with a
 * control that is measured in the same run. The control is usually {@code Ceiling}, whose three batched statements are
 * the upper limit for a store on the same PostgreSQL. No other package depends on this one.
 */
@NullMarked
package dev.longhaul.bench;

import org.jspecify.annotations.NullMarked;
