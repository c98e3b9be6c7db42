/**
 * Jobs in PostgreSQL. Start at {@link dev.longhaul.postgres.PostgresStore}. The statements are in {@code sql/}, in
 * folders named like these packages.
 */
@NullMarked
package dev.longhaul.postgres;

import org.jspecify.annotations.NullMarked;
