package dev.longhaul.postgres;

import dev.longhaul.contract.JobStoreContract;
import dev.longhaul.contract.StoreFixture;
import dev.longhaul.testing.TestPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The store contract on the embedded PostgreSQL, or on the database in {@code TEST_DATABASE_URL}. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresStoreTest extends JobStoreContract {
    private static final PostgresFixture.Databases DATABASES = new PostgresFixture.Databases(TestPostgres.get());

    @Override
    protected StoreFixture newFixture() {
        return DATABASES.fixture();
    }

    @AfterAll
    static void close() {
        DATABASES.close();
    }
}
