/** The contract of a store as the target of an intake, and an intake's log in memory for tests of its callers. */
@NullMarked
package dev.longhaul.contract.intake;

import org.jspecify.annotations.NullMarked;
