/**
 * Who may do what: roles, API keys, sessions and the trail of what was done. Start with {@link dev.longhaul.access.Role} and
 * {@link dev.longhaul.access.AccessStore}; how a request proves who it is from is the server's business.
 */
@NullMarked
package dev.longhaul.access;

import org.jspecify.annotations.NullMarked;
