/** The contract of schedules. */
@NullMarked
package dev.longhaul.contract.schedule;

import org.jspecify.annotations.NullMarked;
