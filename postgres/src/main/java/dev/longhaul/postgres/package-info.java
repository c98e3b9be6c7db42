/**
 * The store on PostgreSQL. Start at {@link dev.longhaul.postgres.PostgresStore}, then read the {@code .sql} file of the
 * operation: each statement has one, beside the migrations in this package's resources. Plain JDBC over the user's
 * DataSource; nothing above the store may depend on this package's inner classes.
 */
@NullMarked
package dev.longhaul.postgres;

import org.jspecify.annotations.NullMarked;
