/**
 * Secrets on this machine. {@link dev.longhaul.cli.secret.TokenFiles} keeps the local token of a server in its data directory, {@link
 * dev.longhaul.cli.secret.LocalServers} lets the client commands of the same user find it, and {@link
 * dev.longhaul.cli.secret.VisiblePassword} warns about passwords that other users can see. Depends on neither the launcher
 * nor the client commands.
 */
@NullMarked
package dev.longhaul.cli.secret;

import org.jspecify.annotations.NullMarked;
