package dev.longhaul.cli.client.database;

import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.launch.StoreConfig;
import dev.longhaul.cli.secret.VisiblePassword;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options that select a database, for commands that need no server. They are the same as those of
 * {@code longhaul server}. Without an option, its environment variables select the database.
 */
public final class DatabaseOptions {
    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "Store: embedded, or postgres://user@host:5432/name, with the password in ~/.pgpass."
                    + " Default: LONGHAUL_STORE, or store in the file of --config.")
    private @Nullable String store;

    @Option(
            names = "--data-dir",
            paramLabel = "DIRECTORY",
            description = "Data directory of a stopped server with an embedded database. Default: .longhaul.")
    private @Nullable Path dataDir;

    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description = "postgres://user@host:5432/name or a JDBC URL. The password may be in ~/.pgpass.")
    private @Nullable String databaseUrl;

    @Option(names = "--config", paramLabel = "FILE", description = "Properties file of longhaul server.")
    private @Nullable String config;

    /** Returns whether an option selects the database, without {@code --config}. */
    public boolean given() {
        return store != null || dataDir != null || databaseUrl != null;
    }

    /** Returns the file of {@code --config}; null if it is not given. */
    public @Nullable String config() {
        return config;
    }

    /** Returns whether the environment selects a PostgreSQL database. */
    public static boolean inEnvironment() {
        return StoreConfig.of(System.getenv(), null, null) instanceof StoreConfig.Postgres;
    }

    /**
     * Opens the database.
     *
     * @param make whether to create an embedded database that does not exist
     */
    public OpenDatabase open(boolean make) {
        if (databaseUrl != null && (store != null || dataDir != null)) {
            throw ServerOptions.bad("database-url", "combined with --store or --data-dir", "only one of them");
        }
        VisiblePassword.warn("--database-url", databaseUrl);
        VisiblePassword.warn("--store", store);
        if (databaseUrl != null) {
            return OpenDatabase.at(databaseUrl);
        }
        if (dataDir != null && store == null) {
            return embedded(dataDir, make);
        }
        StoreConfig chosen = StoreConfig.of(System.getenv(), store, config);
        if (chosen instanceof StoreConfig.Embedded embedded) {
            return embedded(dataDir == null ? embedded.home() : dataDir, make);
        }
        if (chosen instanceof StoreConfig.Postgres postgres && dataDir == null) {
            return OpenDatabase.at(postgres.url());
        }
        String value = store == null ? "none" : store;
        throw ServerOptions.bad(
                "store",
                dataDir == null ? value : "combined with --data-dir",
                "LONGHAUL_STORE or --config FILE with postgres://…, --database-url URL, or --data-dir DIRECTORY of an"
                        + " embedded database; a memory store cannot be opened from another process");
    }

    private static OpenDatabase embedded(Path home, boolean make) {
        if (!make && !Files.isDirectory(home)) {
            throw ServerOptions.bad("data-dir", home.toString(), "the existing data directory of a server");
        }
        return OpenDatabase.embedded(home);
    }
}
