/**
 * Starts processes such that all their descendants can be found and killed. Start at
 * {@link dev.longhaul.process.supervise.Supervisor}; {@link dev.longhaul.process.supervise.Confinement} detects what
 * this machine supports. Does not depend on commands or Java code.
 */
@NullMarked
package dev.longhaul.process.supervise;

import org.jspecify.annotations.NullMarked;
