/** The contract for workers: claims, leases, reports, ends, hooks and signals. */
@NullMarked
package dev.longhaul.contract.work;

import org.jspecify.annotations.NullMarked;
