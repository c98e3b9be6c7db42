package dev.longhaul.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.contract.StoreFixture;
import dev.longhaul.store.JobStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A store in a database that is emptied for each test, and a clock function with an offset. */
final class PostgresFixture implements StoreFixture {
    private final List<PostgresStore> stores = new ArrayList<>();
    private final Database database;
    private Duration offset = Duration.ZERO;

    private PostgresFixture(Database database) {
        this.database = database;
    }

    /** A database with the schema in it, for all tests of a class. */
    record Database(String url, HikariDataSource pool) implements AutoCloseable {
        static Database on(TestServer server) {
            String url = server.newDatabase();
            HikariDataSource pool = TestServer.pool(url, 40);
            PostgresStore.open(pool).close();
            return new Database(url, pool);
        }

        StoreFixture fixture() {
            var fixture = new PostgresFixture(this);
            fixture.setClock();
            TestServer.execute(
                    url,
                    "delete from longhaul.live_job",
                    "delete from longhaul.finished_job",
                    "delete from longhaul.job_run",
                    "delete from longhaul.job_step",
                    "delete from longhaul.job_event",
                    "delete from longhaul.idempotency_key",
                    "delete from longhaul.queue",
                    "delete from longhaul.definition_limit",
                    "delete from longhaul.leader",
                    "delete from longhaul.hooked_definition",
                    "delete from longhaul.due_hook",
                    "delete from longhaul.definition",
                    "delete from longhaul.worker",
                    "delete from longhaul.session",
                    "delete from longhaul.api_key",
                    "delete from longhaul.audit_entry");
            fixture.stores.add(PostgresStore.open(pool));
            return fixture;
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    @Override
    public JobStore store() {
        return stores.get(0);
    }

    @Override
    public JobStore anotherStore() {
        stores.add(PostgresStore.open(database.pool()));
        return stores.get(stores.size() - 1);
    }

    @Override
    public void advance(Duration by) {
        offset = offset.plus(by);
        setClock();
    }

    private void setClock() {
        TestServer.execute(
                database.url(),
                "create or replace function longhaul.clock() returns timestamptz language sql stable parallel safe"
                        + " as 'select statement_timestamp() + interval ''" + offset.toMillis() + " milliseconds'''");
    }

    @Override
    public void close() {
        stores.forEach(PostgresStore::close);
    }
}
