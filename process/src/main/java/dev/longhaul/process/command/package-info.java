/**
 * Commands as jobs. {@link dev.longhaul.process.command.Commands} is how they are defined in Java, {@link
 * dev.longhaul.process.command.CommandFile} how in a file; {@link dev.longhaul.process.command.CommandExecutor} runs them.
 */
@NullMarked
package dev.longhaul.process.command;

import org.jspecify.annotations.NullMarked;
