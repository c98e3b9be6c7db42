/**
 * The commands for queues, workers and the server, listed in {@link dev.longhaul.cli.client.server.ServerCommands}.
 */
@NullMarked
package dev.longhaul.cli.client.server;

import org.jspecify.annotations.NullMarked;
