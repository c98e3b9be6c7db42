/** The dashboard's files. */
@NullMarked
package dev.longhaul.api.dashboard;

import org.jspecify.annotations.NullMarked;
