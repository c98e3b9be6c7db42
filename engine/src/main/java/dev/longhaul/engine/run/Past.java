package dev.longhaul.engine.run;

import java.time.Duration;

/**
 * The history of a run before this process took it over.
 *
 * @param takeovers how many workers have executed it
 * @param duration how long it has run
 */
record Past(int takeovers, Duration duration) {}
