/** Job log lines. */
@NullMarked
package dev.longhaul.internal.log;

import org.jspecify.annotations.NullMarked;
