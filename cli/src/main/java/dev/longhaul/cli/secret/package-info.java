/**
 * Secrets on this machine. {@link dev.longhaul.cli.secret.TokenFiles} keeps the local token of a server in its data
 * directory, {@link dev.longhaul.cli.secret.LocalServers} makes it available to client commands of the same user, and
 * {@link dev.longhaul.cli.secret.VisiblePassword} warns about passwords that other users can see. Does not depend on
 * the launcher or the client commands.
 */
@NullMarked
package dev.longhaul.cli.secret;

import org.jspecify.annotations.NullMarked;
