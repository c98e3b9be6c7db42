/**
 * Starting and stopping a server, a worker or the whole of it for development. Start with {@link
 * dev.longhaul.cli.launch.Launch}, the commands; {@link dev.longhaul.cli.launch.Setting} lists what can be set, and {@link
 * dev.longhaul.cli.launch.Running} is what a process is made of. Only the list of commands depends on this package.
 */
@NullMarked
package dev.longhaul.cli.launch;

import org.jspecify.annotations.NullMarked;
