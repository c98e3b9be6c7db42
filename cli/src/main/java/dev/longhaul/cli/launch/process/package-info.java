/** What a launched process needs from its machine: a free port, signals that end it, and the times of its start. */
@NullMarked
package dev.longhaul.cli.launch.process;

import org.jspecify.annotations.NullMarked;
