/**
 * The store on PostgreSQL. Start at {@link dev.longhaul.postgres.PostgresStore}, then read the {@code .sql} file of the
 * operation: each statement has one, in the folder of its subject, beside the migrations in this package's resources. Rows are
 * read by column name ({@code Row}). Plain JDBC over the user's DataSource; nothing above the store may depend on this
 * package's inner classes.
 */
@NullMarked
package dev.longhaul.postgres;

import org.jspecify.annotations.NullMarked;
