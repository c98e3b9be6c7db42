/** API keys, sessions and the audit trail. */
@NullMarked
package dev.longhaul.postgres.access;

import org.jspecify.annotations.NullMarked;
