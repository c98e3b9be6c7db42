/** The contract of the leader's tasks: leadership, expired leases, retention, statistics. */
@NullMarked
package dev.longhaul.contract.upkeep;

import org.jspecify.annotations.NullMarked;
