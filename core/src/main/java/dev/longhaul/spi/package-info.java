/**
 * The ports that stores and executors implement, cut by caller. Start at {@link dev.longhaul.spi.WorkSource} and {@link
 * dev.longhaul.spi.Store}; their meaning is the contract in module {@code contract}. Nothing here knows a database.
 */
@NullMarked
package dev.longhaul.spi;

import org.jspecify.annotations.NullMarked;
