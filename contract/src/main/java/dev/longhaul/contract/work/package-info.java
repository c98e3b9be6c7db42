/** The contract of operations that workers use: claims, leases, reports, ends, hooks and signals. */
@NullMarked
package dev.longhaul.contract.work;

import org.jspecify.annotations.NullMarked;
