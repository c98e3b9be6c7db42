/** What the leader's tasks promise: leadership, expired leases, retention, statistics. */
@NullMarked
package dev.longhaul.contract.upkeep;

import org.jspecify.annotations.NullMarked;
