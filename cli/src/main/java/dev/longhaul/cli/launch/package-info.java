/**
 * Starts and stops a server, a worker, or all roles in one process for development.
 * {@link dev.longhaul.cli.launch.Launch} contains the commands; {@link dev.longhaul.cli.launch.Setting} lists the
 * settings, and {@link dev.longhaul.cli.launch.Running} is a started process. Only the list of commands depends on this
 * package.
 */
@NullMarked
package dev.longhaul.cli.launch;

import org.jspecify.annotations.NullMarked;
