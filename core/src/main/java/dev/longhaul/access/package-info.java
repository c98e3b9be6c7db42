/**
 * Access control: roles, API keys, sessions and the audit trail. Start with {@link dev.longhaul.access.Role} and
 * {@link dev.longhaul.access.AccessStore}; the server authenticates requests.
 */
@NullMarked
package dev.longhaul.access;

import org.jspecify.annotations.NullMarked;
