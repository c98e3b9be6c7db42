/**
 * What can go wrong, in terms every door shares: a code, the offending value, the expectation. Start at {@link
 * dev.longhaul.error.LonghaulException}. Transports map the codes; nothing here knows of any transport.
 */
@NullMarked
package dev.longhaul.error;

import org.jspecify.annotations.NullMarked;
