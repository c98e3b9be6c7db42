/** The worker's side of the store: claims, leases, reports, ends and hooks. */
@NullMarked
package dev.longhaul.postgres.work;

import org.jspecify.annotations.NullMarked;
