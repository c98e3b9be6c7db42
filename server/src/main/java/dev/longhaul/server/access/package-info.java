/** Who may do what: keys, sessions, roles, rate limits, and the audit of it. */
@NullMarked
package dev.longhaul.server.access;

import org.jspecify.annotations.NullMarked;
