package dev.longhaul.cli.launch;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where jobs are kept. */
sealed interface StoreConfig {
    /** In this process, and gone with it. */
    record Memory() implements StoreConfig {}

    /** In a PostgreSQL that this process runs, with its data in that directory. */
    record Embedded(Path home) implements StoreConfig {}

    /**
     * In a PostgreSQL that runs elsewhere.
     *
     * @param readUrl where lists and counts are read, if elsewhere
     */
    record Postgres(String url, @Nullable String readUrl) implements StoreConfig {
        @Override
        public String toString() {
            return "Postgres"; // the URLs may hold passwords
        }
    }
}
