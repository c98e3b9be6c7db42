/**
 * Who may do what: {@link dev.longhaul.server.access.Access} serves every route. Keys, sessions, roles, rate limits, and the audit of
 * it. Knows {@code http}, and nothing else of the server.
 */
@NullMarked
package dev.longhaul.server.access;

import org.jspecify.annotations.NullMarked;
