/**
 * Runs commands as jobs. {@link dev.longhaul.process.command.Commands} defines them in Java, {@link
 * dev.longhaul.process.command.CommandFile} reads them from a file, {@link dev.longhaul.process.command.CommandExecutor}
 * runs them.
 */
@NullMarked
package dev.longhaul.process.command;

import org.jspecify.annotations.NullMarked;
