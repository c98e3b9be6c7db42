/**
 * The HTTP doors to Longhaul. Start with {@link dev.longhaul.server.LonghaulServer}, which lists what it is made of, and
 * {@code Routes}, the one table of routes and roles. Each handler decodes a request, calls one use case, and encodes its answer:
 * the rules are in {@code core}. Nothing depends on this package but the command line.
 */
@NullMarked
package dev.longhaul.server;

import org.jspecify.annotations.NullMarked;
