/**
 * Starts processes where all that they ever start can be found, and ends them. Start at {@link
 * dev.longhaul.process.supervise.Supervisor}; {@link dev.longhaul.process.supervise.Confinement} is how much of that this
 * machine allows. Knows neither commands nor Java code.
 */
@NullMarked
package dev.longhaul.process.supervise;

import org.jspecify.annotations.NullMarked;
