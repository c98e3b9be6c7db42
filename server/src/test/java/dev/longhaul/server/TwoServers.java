package dev.longhaul.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;

/** Two servers on one database, of which only the second runs jobs. */
final class TwoServers implements AutoCloseable {
    private static final int CONNECTIONS = 8;

    /** URL of their database, with user and password. */
    final String url;

    private final HikariDataSource firstPool;
    private final HikariDataSource secondPool;
    final Longhaul asking;
    final Longhaul working;
    final LonghaulServer first;
    final LonghaulServer second;

    TwoServers(JobDefinition<?, ?>... definitions) {
        this(TestPostgres.get(), definitions);
    }

    TwoServers(TestPostgres postgres, JobDefinition<?, ?>... definitions) {
        this.url = postgres.newDatabase(PostgresStore::migrate);
        this.firstPool = TestPostgres.pool(new PatientDataSource(url), CONNECTIONS);
        this.secondPool = TestPostgres.pool(new PatientDataSource(url), CONNECTIONS);
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

    @Override
    public void close() {
        first.close();
        second.close();
        asking.close();
        working.close();
        firstPool.close();
        secondPool.close();
    }
}
