/**
 * Longhaul's HTTP server: REST, RPC, event streams, webhooks and the dashboard. Start with
 * {@link dev.longhaul.server.LonghaulServer}, which lists all routes. Each handler decodes a request, calls one use
 * case and encodes the response; the rules are in the module {@code core}. Only the command line depends on this
 * package.
 */
@NullMarked
package dev.longhaul.server;

import org.jspecify.annotations.NullMarked;
