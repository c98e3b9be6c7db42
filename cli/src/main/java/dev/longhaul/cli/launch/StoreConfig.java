package dev.longhaul.cli.launch;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where jobs are stored. */
sealed interface StoreConfig {
    /** In memory; jobs are lost when the process ends. */
    record Memory() implements StoreConfig {}

    /** In an embedded PostgreSQL server with its data in {@code home}. */
    record Embedded(Path home) implements StoreConfig {}

    /**
     * In an external PostgreSQL.
     *
     * @param readUrl URL of a read replica for lists and counts; null reads them from the primary
     */
    record Postgres(String url, @Nullable String readUrl) implements StoreConfig {
        @Override
        public String toString() {
            return "Postgres"; // the URLs may hold passwords
        }
    }
}
