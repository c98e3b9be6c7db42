/**
 * The {@code longhaul} command. Start with {@link dev.longhaul.cli.Main}, which lists the commands; each command parses
 * its arguments and makes one call. No other package depends on this one.
 */
@NullMarked
package dev.longhaul.cli;

import org.jspecify.annotations.NullMarked;
