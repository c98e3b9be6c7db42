package dev.longhaul.postgres;

import dev.longhaul.contract.JobStoreContract;
import dev.longhaul.contract.StoreFixture;
import dev.longhaul.testing.TestPostgres;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

/** The store contract on PostgreSQL 15. */
@Tag("full")
@EnabledIf(
        value = "dev.longhaul.testing.TestPostgres#has15",
        disabledReason = "PostgreSQL 15 is not installed here; the contract runs on the embedded PostgreSQL only")
class Postgres15StoreTest extends JobStoreContract {
    private static PostgresFixture.@Nullable Database database;

    @BeforeAll
    static void open() {
        database = PostgresFixture.Database.on(TestPostgres.get15());
    }

    @Override
    protected StoreFixture newFixture() {
        PostgresFixture.Database open = database;
        if (open == null) {
            throw new IllegalStateException("not open");
        }
        return open.fixture();
    }

    @AfterAll
    static void close() {
        if (database != null) {
            database.close();
        }
    }
}
