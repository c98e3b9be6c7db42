/**
 * What tests of jobs need. Start at {@link dev.longhaul.testkit.MovableClock}; the meaning of every store is in {@code
 * store}.
 */
@NullMarked
package dev.longhaul.testkit;

import org.jspecify.annotations.NullMarked;
