/** Background loops: one way to start, guard, report and close them. */
@NullMarked
package dev.longhaul.internal.loop;

import org.jspecify.annotations.NullMarked;
