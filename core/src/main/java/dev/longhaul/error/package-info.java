/**
 * Errors, in terms that every transport shares: a code, the field, its value, the expectation. Start at
 * {@link dev.longhaul.error.LonghaulException}. Transports map the codes; this package depends on no transport.
 */
@NullMarked
package dev.longhaul.error;

import org.jspecify.annotations.NullMarked;
