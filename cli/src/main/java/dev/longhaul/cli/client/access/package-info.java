/**
 * The commands for API keys, listed in {@link dev.longhaul.cli.client.access.KeyCommands}. They also work without a server.
 */
@NullMarked
package dev.longhaul.cli.client.access;

import org.jspecify.annotations.NullMarked;
