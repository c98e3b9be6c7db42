/**
 * A durable PostgreSQL server that starts with this program and stops with it, also if the program is killed.
 *
 * <p>Start reading at {@link dev.longhaul.embedded.EmbeddedPostgres}. The script {@code supervise.sh} stops the server
 * when this process ends. This package depends on no other module.
 */
@NullMarked
package dev.longhaul.embedded;

import org.jspecify.annotations.NullMarked;
