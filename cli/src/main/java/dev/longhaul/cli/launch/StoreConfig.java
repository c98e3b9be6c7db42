package dev.longhaul.cli.launch;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The store to use. */
sealed interface StoreConfig {
    /** A store in memory. Its jobs are lost when the process ends. */
    record Memory() implements StoreConfig {}

    /** A store in an embedded PostgreSQL server, which has its data in {@code home}. */
    record Embedded(Path home) implements StoreConfig {}

    /**
     * A store in an external PostgreSQL.
     *
     * @param readUrl URL of a read replica for lists and counts; null reads them from the primary
     */
    record Postgres(String url, @Nullable String readUrl) implements StoreConfig {
        @Override
        public String toString() {
            return "Postgres"; // the URLs may contain passwords
        }
    }
}
