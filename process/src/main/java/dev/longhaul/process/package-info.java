/**
 * Jobs in processes of their own. Start at {@link dev.longhaul.process.ProcessExecutor}: it gives commands to {@link
 * dev.longhaul.process.command.CommandExecutor} and Java code to {@link dev.longhaul.process.java.JavaExecutor}; both start
 * their processes through the {@link dev.longhaul.process.supervise.Supervisor}, which knows how to confine and to end them.
 */
@NullMarked
package dev.longhaul.process;

import org.jspecify.annotations.NullMarked;
