/**
 * Test support shared by several modules. Start at {@link dev.longhaul.testing.TestPostgres}, the PostgreSQL of a test
 * JVM. Only tests depend on this package; it is not published.
 */
@NullMarked
package dev.longhaul.testing;

import org.jspecify.annotations.NullMarked;
