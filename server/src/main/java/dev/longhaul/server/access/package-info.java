/**
 * Access control: keys, sessions, roles, rate limits, and their audit trail. {@link dev.longhaul.server.access.Access}
 * serves every route. Depends on the package {@code http}, but on no other package of the server.
 */
@NullMarked
package dev.longhaul.server.access;

import org.jspecify.annotations.NullMarked;
