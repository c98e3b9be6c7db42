/** Longhaul as a library in a Java application. Start at {@link dev.longhaul.Longhaul}. */
@NullMarked
package dev.longhaul;

import org.jspecify.annotations.NullMarked;
