/**
 * The commands that open a database without a server, and the options that name it.
 */
@NullMarked
package dev.longhaul.cli.client.database;

import org.jspecify.annotations.NullMarked;
