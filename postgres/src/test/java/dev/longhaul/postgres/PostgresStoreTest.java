package dev.longhaul.postgres;

import dev.longhaul.contract.JobStoreContract;
import dev.longhaul.contract.StoreFixture;
import dev.longhaul.testing.TestPostgres;
import org.junit.jupiter.api.AfterAll;

/** The store contract on the embedded PostgreSQL, or on the one that {@code TEST_DATABASE_URL} names. */
class PostgresStoreTest extends JobStoreContract {
    private static final PostgresFixture.Database DATABASE = PostgresFixture.Database.on(TestPostgres.get());

    @Override
    protected StoreFixture newFixture() {
        return DATABASE.fixture();
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }
}
