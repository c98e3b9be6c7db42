/** Connections, transactions, statements and notifications. */
@NullMarked
package dev.longhaul.postgres.database;

import org.jspecify.annotations.NullMarked;
