/**
 * The commands that talk to a server over its REST API, and those that open its database. Start with
 * {@link dev.longhaul.cli.client.ClientCommands}, which lists them; each is one class that decodes its arguments, makes one
 * call and prints the answer. {@link dev.longhaul.cli.client.Api} is the only place that speaks HTTP.
 */
@NullMarked
package dev.longhaul.cli.client;

import org.jspecify.annotations.NullMarked;
