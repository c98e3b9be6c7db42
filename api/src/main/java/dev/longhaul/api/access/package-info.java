/** The audit trail of requests: rejected requests, full views, and the route that lists the entries. */
@NullMarked
package dev.longhaul.api.access;

import org.jspecify.annotations.NullMarked;
