/**
 * How a cluster has been doing: how many runs ended how, and how long jobs waited and ran. Start with {@link
 * dev.longhaul.stats.StatsStore}. All of it is for people to look at; nothing decides by it, and a process that is killed may
 * take the last ten seconds of its own with it.
 */
@NullMarked
package dev.longhaul.stats;

import org.jspecify.annotations.NullMarked;
