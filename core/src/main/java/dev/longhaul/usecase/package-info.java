/**
 * Operations on jobs and schedules, checked in one place for every transport. Start at
 * {@link dev.longhaul.usecase.Jobs}.
 */
@NullMarked
package dev.longhaul.usecase;

import org.jspecify.annotations.NullMarked;
