/**
 * The ports that stores and executors implement, divided by caller. Start at {@link dev.longhaul.spi.WorkSource} and
 * {@link dev.longhaul.spi.Store}; the tests in module {@code contract} specify them. This package depends on no
 * database.
 */
@NullMarked
package dev.longhaul.spi;

import org.jspecify.annotations.NullMarked;
