/**
 * Runs jobs in separate processes. Start at {@link dev.longhaul.process.ProcessExecutor}: it passes commands to {@link
 * dev.longhaul.process.command.CommandExecutor} and Java code to {@link dev.longhaul.process.java.JavaExecutor}; both start
 * their processes through the {@link dev.longhaul.process.supervise.Supervisor}, which confines and kills them.
 */
@NullMarked
package dev.longhaul.process;

import org.jspecify.annotations.NullMarked;
