/**
 * A store in memory, for tests and demos. It fulfils the whole contract, but its jobs are lost when the process ends.
 */
@NullMarked
package dev.longhaul.memory;

import org.jspecify.annotations.NullMarked;
