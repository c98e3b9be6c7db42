/**
 * A real, durable PostgreSQL that starts with this program and ends with it, however the program ends.
 *
 * <p>Start reading at {@link dev.longhaul.embedded.EmbeddedPostgres}; {@code supervise.sh} beside these classes is what
 * ties the server's life to ours. This package knows nothing of jobs and depends on no other module.
 */
@NullMarked
package dev.longhaul.embedded;

import org.jspecify.annotations.NullMarked;
