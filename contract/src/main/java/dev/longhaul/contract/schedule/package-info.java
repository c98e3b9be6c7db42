/** What schedules promise. */
@NullMarked
package dev.longhaul.contract.schedule;

import org.jspecify.annotations.NullMarked;
