/** The audit trail of requests: rejected ones, full views, and the route that lists the entries. */
@NullMarked
package dev.longhaul.api.access;

import org.jspecify.annotations.NullMarked;
