package dev.longhaul;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import org.junit.jupiter.api.AfterEach;

class RunsOnPostgresTest extends RunsContract {
    private final HikariDataSource pool =
            TestPostgres.pool(new PatientDataSource(TestPostgres.get().newDatabase(PostgresStore::migrate)), 8);

    @Override
    LonghaulBuilder builder() {
        return Longhaul.builder().postgres(pool);
    }

    @AfterEach
    void closePool() {
        close();
        pool.close();
    }
}
