/** How far the log of an intake is stored, and its aliases. Depends on {@code job} and {@code database} only. */
@NullMarked
package dev.longhaul.postgres.intake;

import org.jspecify.annotations.NullMarked;
