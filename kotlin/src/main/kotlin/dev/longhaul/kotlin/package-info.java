/**
 * Jobs in Kotlin. Start with {@code job}, which defines a job whose code is a suspend function. Depends on core only.
 */
@NullMarked
package dev.longhaul.kotlin;

import org.jspecify.annotations.NullMarked;
