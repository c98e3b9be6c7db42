/**
 * The commands that open a database without a server, and the options that select it.
 */
@NullMarked
package dev.longhaul.cli.client.database;

import org.jspecify.annotations.NullMarked;
