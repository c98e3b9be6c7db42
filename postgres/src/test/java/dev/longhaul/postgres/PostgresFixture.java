package dev.longhaul.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.contract.StoreFixture;
import dev.longhaul.postgres.work.QuickClaims;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A store in an empty database, and a clock function with an offset. */
public final class PostgresFixture implements StoreFixture {
    private final List<PostgresStore> stores = new ArrayList<>();
    private final Database database;
    private Duration offset = Duration.ZERO;
    private Consumer<Database> whenClosed = closed -> {};

    private PostgresFixture(Database database) {
        this.database = database;
    }

    /** Databases for concurrent tests: each fixture has its own until it is closed. */
    static final class Databases implements AutoCloseable {
        private final Queue<Database> all = new ConcurrentLinkedQueue<>();
        private final Queue<Database> free = new ConcurrentLinkedQueue<>();
        private final TestPostgres server;

        Databases(TestPostgres server) {
            this.server = server;
        }

        StoreFixture fixture() {
            Database taken = free.poll();
            if (taken == null) {
                taken = Database.on(server);
                all.add(taken);
            }
            PostgresFixture fixture = taken.fixture();
            fixture.whenClosed = free::add;
            return fixture;
        }

        @Override
        public void close() {
            all.forEach(Database::close);
        }
    }

    /** A database with the schema, emptied for each fixture. */
    public static final class Database implements AutoCloseable {
        /** One request on a pooled connection, because it precedes each of hundreds of tests. */
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
                        "webhook",
                        "intake_progress",
                        "intake_alias")
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

        public PostgresFixture fixture() {
            var fixture = new PostgresFixture(this);
            setClock(Duration.ZERO);
            execute(EMPTY);
            fixture.stores.add(QuickClaims.of(PostgresStore.open(pool)));
            return fixture;
        }

        /** Only if the offset changes: afterwards every statement is planned again. */
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
        stores.add(QuickClaims.of(PostgresStore.open(database.pool)));
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
        whenClosed.accept(database);
    }
}
