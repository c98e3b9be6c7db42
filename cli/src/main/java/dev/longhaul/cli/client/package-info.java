/**
 * What the commands that talk to a server share; the packages below hold the commands, one for each subject. Start with
 * {@link dev.longhaul.cli.client.RestCommand}, a row of a table of commands. {@link dev.longhaul.cli.client.Api} is the only
 * place that speaks HTTP. Nothing here depends on the packages below.
 */
@NullMarked
package dev.longhaul.cli.client;

import org.jspecify.annotations.NullMarked;
