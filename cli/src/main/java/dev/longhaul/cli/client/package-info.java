/**
 * Code shared by the commands that call a server; the subpackages contain the commands, one package per subject. Start
 * with {@link dev.longhaul.cli.client.RestCommand}, which describes one command. {@link dev.longhaul.cli.client.Api} is
 * the only class that uses HTTP. This package does not depend on the subpackages.
 */
@NullMarked
package dev.longhaul.cli.client;

import org.jspecify.annotations.NullMarked;
