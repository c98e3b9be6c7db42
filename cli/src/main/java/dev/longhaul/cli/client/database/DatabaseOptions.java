package dev.longhaul.cli.client.database;

import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.secret.VisiblePassword;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which database to open, for commands that need no server. The same words as those of {@code longhaul server}. */
public final class DatabaseOptions {
    private static final String EMBEDDED = "embedded";
    private static final Path USUAL_HOME = Path.of(".longhaul");

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "embedded, or postgres://user:password@host:5432/name.")
    private @Nullable String store;

    @Option(
            names = "--data-dir",
            paramLabel = "DIRECTORY",
            description = "Where a stopped server with an embedded database keeps its data; .longhaul if not given.")
    private @Nullable Path dataDir;

    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description = "postgres://user@host:5432/name or a JDBC URL; a password that is not in it is in ~/.pgpass.")
    private @Nullable String databaseUrl;

    public boolean given() {
        return store != null || dataDir != null || databaseUrl != null;
    }

    /**
     * Opens it.
     *
     * @param make whether an embedded database that is not there yet is to be made
     */
    public OpenDatabase open(boolean make) {
        String url = url();
        if (url != null) {
            return OpenDatabase.at(url);
        }
        Path home = home();
        if (!make && !Files.isDirectory(home)) {
            throw ServerOptions.bad("data-dir", home.toString(), "the directory of a server that was started before");
        }
        return OpenDatabase.embedded(home);
    }

    private @Nullable String url() {
        boolean embedded = store == null || store.equals(EMBEDDED);
        if (databaseUrl != null && (store != null || dataDir != null)) {
            throw ServerOptions.bad("database-url", "given beside another", "one database");
        }
        if (!embedded && (dataDir != null || !store().startsWith("postgres"))) {
            throw ServerOptions.bad(
                    "store",
                    store().startsWith("postgres") ? "given beside --data-dir" : store(),
                    "embedded (with --data-dir) or postgres://…; jobs in memory are nowhere else");
        }
        String url = databaseUrl != null ? databaseUrl : embedded ? null : store;
        VisiblePassword.warn(databaseUrl != null ? "--database-url" : "--store", url);
        return url;
    }

    private String store() {
        return store == null ? EMBEDDED : store;
    }

    /** The directory of the embedded database that is meant. */
    private Path home() {
        if (!given()) {
            throw ServerOptions.bad("store", "none", "--data-dir DIRECTORY or --database-url URL");
        }
        return dataDir == null ? USUAL_HOME : dataDir;
    }
}
