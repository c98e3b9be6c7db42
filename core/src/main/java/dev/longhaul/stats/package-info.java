/**
 * Statistics of a cluster: how many runs ended how, and how long jobs waited and ran. Start with
 * {@link dev.longhaul.stats.StatsStore}. For display only; no decision depends on them, and a killed process may lose
 * its last ten seconds.
 */
@NullMarked
package dev.longhaul.stats;

import org.jspecify.annotations.NullMarked;
