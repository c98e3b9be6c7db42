/** The lines that a job logs. */
@NullMarked
package dev.longhaul.internal.log;

import org.jspecify.annotations.NullMarked;
