package dev.longhaul.postgres;

import dev.longhaul.contract.JobStoreContract;
import dev.longhaul.contract.StoreFixture;
import dev.longhaul.testing.TestPostgres;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The store contract on PostgreSQL 15. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
@EnabledIf(
        value = "dev.longhaul.testing.TestPostgres#has15",
        disabledReason = "PostgreSQL 15 is not installed here; the contract runs on the embedded PostgreSQL only")
class Postgres15StoreTest extends JobStoreContract {
    private static PostgresFixture.@Nullable Databases databases;

    @BeforeAll
    static void open() {
        databases = new PostgresFixture.Databases(TestPostgres.get15());
    }

    @Override
    protected StoreFixture newFixture() {
        return Objects.requireNonNull(databases).fixture();
    }

    @AfterAll
    static void close() {
        if (databases != null) {
            databases.close();
        }
    }
}
