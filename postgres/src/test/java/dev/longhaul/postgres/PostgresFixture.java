package dev.longhaul.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.contract.StoreFixture;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A store in a database that is emptied for each test, and a clock function with an offset. */
public final class PostgresFixture implements StoreFixture {
    private final List<PostgresStore> stores = new ArrayList<>();
    private final Database database;
    private Duration offset = Duration.ZERO;

    private PostgresFixture(Database database) {
        this.database = database;
    }

    /** A database with the schema in it, for all tests of a class. */
    public static final class Database implements AutoCloseable {
        /** In one request on a pooled connection: it is sent before each of hundreds of tests. */
        private static final String EMPTY = Stream.of(
                        "live_job",
                        "finished_job",
                        "job_run",
                        "job_step",
                        "job_event",
                        "idempotency_key",
                        "queue",
                        "definition_limit",
                        "leader",
                        "hooked_definition",
                        "job_effect",
                        "definition",
                        "declared_definition",
                        "worker",
                        "session",
                        "api_key",
                        "audit_entry",
                        "schedule",
                        "schedule_fire",
                        "run_stats",
                        "webhook_delivery",
                        "database_timeline",
                        "webhook")
                .map(table -> "delete from longhaul." + table)
                .collect(Collectors.joining("; "));

        private final String url;
        private final HikariDataSource pool;
        private Duration offset = Duration.ZERO;

        private Database(String url) {
            this.url = url;
            this.pool = TestPostgres.pool(url, 40);
        }

        public static Database on(TestPostgres server) {
            var database = new Database(server.newDatabase());
            PostgresStore.open(database.pool).close();
            database.execute(clock(Duration.ZERO));
            return database;
        }

        public String url() {
            return url;
        }

        public StoreFixture fixture() {
            var fixture = new PostgresFixture(this);
            setClock(Duration.ZERO);
            execute(EMPTY);
            fixture.stores.add(PostgresStore.open(pool));
            return fixture;
        }

        /** Only if it has to be: afterwards every statement is planned anew. */
        private void setClock(Duration offset) {
            if (!offset.equals(this.offset)) {
                execute(clock(offset));
                this.offset = offset;
            }
        }

        private static String clock(Duration offset) {
            return "create or replace function longhaul.clock() returns timestamptz language sql stable parallel safe"
                    + " as 'select statement_timestamp() + interval ''" + offset.toMillis() + " milliseconds'''";
        }

        private void execute(String sql) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    @Override
    public Store store() {
        return stores.get(0);
    }

    @Override
    public Store anotherStore() {
        stores.add(PostgresStore.open(database.pool));
        return stores.get(stores.size() - 1);
    }

    @Override
    public void advance(Duration by) {
        offset = offset.plus(by);
        database.setClock(offset);
    }

    @Override
    public void close() {
        stores.forEach(PostgresStore::close);
    }
}
