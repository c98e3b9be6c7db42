/**
 * The values that a worker and a source of work exchange: requests, claimed jobs, reports, transitions and the ends of
 * runs.
 */
@NullMarked
package dev.longhaul.work;

import org.jspecify.annotations.NullMarked;
