package dev.longhaul.cli.client.database;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database opened by a command, with its embedded PostgreSQL server if the command started one. */
public final class OpenDatabase implements AutoCloseable {
    private static final int CONNECT_SECONDS = 5;

    private final PatientDataSource dataSource;
    private final @Nullable EmbeddedPostgres postgres;

    private OpenDatabase(String url, @Nullable EmbeddedPostgres postgres) {
        this.postgres = postgres;
        dataSource = new PatientDataSource(url);
        dataSource.setConnectTimeout(CONNECT_SECONDS);
    }

    public static OpenDatabase at(String url) {
        return new OpenDatabase(url, null);
    }

    public static OpenDatabase embedded(Path home) {
        EmbeddedPostgres postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home));
        var open = new OpenDatabase(postgres.jdbcUrl(), postgres);
        open.dataSource.setUser(postgres.user());
        open.dataSource.setPassword(postgres.password());
        return open;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    /**
     * Opens the store.
     *
     * @param migrate whether to migrate an outdated schema; if false, it is rejected
     */
    public PostgresStore store(boolean migrate) {
        return PostgresStore.open(dataSource, migrate);
    }

    @Override
    public void close() {
        if (postgres != null) {
            postgres.close();
        }
    }
}
