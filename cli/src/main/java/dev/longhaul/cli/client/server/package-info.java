/**
 * The commands about queues, workers and a server itself: {@link dev.longhaul.cli.client.server.ServerCommands} is their table.
 */
@NullMarked
package dev.longhaul.cli.client.server;

import org.jspecify.annotations.NullMarked;
