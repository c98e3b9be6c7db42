package dev.longhaul.cli.client.database;

import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.secret.VisiblePassword;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options that select a database, for commands that need no server. They are the same as those of
 * {@code longhaul server}.
 */
public final class DatabaseOptions {
    private static final String EMBEDDED = "embedded";
    private static final Path DEFAULT_HOME = Path.of(".longhaul");

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "Store: embedded, or postgres://user@host:5432/name, with the password in ~/.pgpass.")
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

    public boolean given() {
        return store != null || dataDir != null || databaseUrl != null;
    }

    /**
     * Opens the database.
     *
     * @param make whether to create an embedded database that does not exist
     */
    public OpenDatabase open(boolean make) {
        String url = url();
        if (url != null) {
            return OpenDatabase.at(url);
        }
        Path home = home();
        if (!make && !Files.isDirectory(home)) {
            throw ServerOptions.bad("data-dir", home.toString(), "the existing data directory of a server");
        }
        return OpenDatabase.embedded(home);
    }

    private @Nullable String url() {
        boolean embedded = store == null || store.equals(EMBEDDED);
        if (databaseUrl != null && (store != null || dataDir != null)) {
            throw ServerOptions.bad("database-url", "combined with --store or --data-dir", "only one of them");
        }
        if (!embedded && (dataDir != null || !store().startsWith("postgres"))) {
            throw ServerOptions.bad(
                    "store",
                    store().startsWith("postgres") ? "combined with --data-dir" : store(),
                    "embedded (with --data-dir) or postgres://…; a memory store cannot be opened from another process");
        }
        String url = databaseUrl != null ? databaseUrl : embedded ? null : store;
        VisiblePassword.warn(databaseUrl != null ? "--database-url" : "--store", url);
        return url;
    }

    private String store() {
        return store == null ? EMBEDDED : store;
    }

    /** Returns the data directory of the embedded database. */
    private Path home() {
        if (!given()) {
            throw ServerOptions.bad("store", "none", "--data-dir DIRECTORY or --database-url URL");
        }
        return dataDir == null ? DEFAULT_HOME : dataDir;
    }
}
