/**
 * A store in memory, for tests, demos and trying things out. It keeps the whole contract but nothing survives its
 * process.
 */
@NullMarked
package dev.longhaul.memory;

import org.jspecify.annotations.NullMarked;
