/**
 * The commands about API keys: {@link dev.longhaul.cli.client.access.KeyCommands} is their table. They work without a server, too.
 */
@NullMarked
package dev.longhaul.cli.client.access;

import org.jspecify.annotations.NullMarked;
