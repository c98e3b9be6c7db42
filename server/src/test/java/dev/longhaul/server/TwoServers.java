package dev.longhaul.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.definition.JobDefinition;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.postgres.PatientDataSource;
import java.nio.file.Path;

/** A PostgreSQL of its own, and two servers on it, of which only the second runs jobs. */
final class TwoServers implements AutoCloseable {
    private static final int CONNECTIONS = 8;

    final EmbeddedPostgres postgres;
    private final HikariDataSource firstPool;
    private final HikariDataSource secondPool;
    final Longhaul asking;
    final Longhaul working;
    final LonghaulServer first;
    final LonghaulServer second;

    TwoServers(Path home, JobDefinition<?, ?>... definitions) {
        this.postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home));
        this.firstPool = pool();
        this.secondPool = pool();
        this.asking = Longhaul.builder()
                .postgres(firstPool)
                .register(definitions)
                .enqueueOnly()
                .start();
        this.working =
                Longhaul.builder().postgres(secondPool).register(definitions).start();
        this.first = LonghaulServer.start(asking, Doors.AT_ONCE);
        this.second = LonghaulServer.start(working, Doors.AT_ONCE);
    }

    private HikariDataSource pool() {
        var config = new HikariConfig();
        config.setDataSource(
                new PatientDataSource(postgres.jdbcUrl() + (postgres.jdbcUrl().contains("?") ? "&" : "?") + "user="
                        + postgres.user() + "&password=" + postgres.password()));
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(3_000);
        return new HikariDataSource(config);
    }

    @Override
    public void close() {
        first.close();
        second.close();
        asking.close();
        working.close();
        firstPool.close();
        secondPool.close();
        postgres.close();
    }
}
