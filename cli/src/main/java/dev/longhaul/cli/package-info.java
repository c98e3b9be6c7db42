/**
 * The {@code longhaul} command. Start with {@link dev.longhaul.cli.Main}, which lists the commands; each is one class that
 * decodes its arguments and calls one thing. Nothing depends on this package.
 */
@NullMarked
package dev.longhaul.cli;

import org.jspecify.annotations.NullMarked;
