/** The dashboard's files. */
@NullMarked
package dev.longhaul.server.dashboard;

import org.jspecify.annotations.NullMarked;
