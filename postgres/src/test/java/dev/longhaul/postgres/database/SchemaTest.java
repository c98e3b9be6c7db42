package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.spi.Leadership;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema: how it is migrated, and which data its constraints reject. */
class SchemaTest {
    private final String url = TestPostgres.get().newDatabase();
    private final HikariDataSource pool = TestPostgres.pool(url, 20);

    @AfterEach
    void close() {
        pool.close();
    }

    @Nested
    class Migrating {
        @Test
        void happens_once_when_many_start_at_the_same_time() throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(8);
            try {
                List<Callable<PostgresStore>> opens = new ArrayList<>();
                IntStream.range(0, 8).forEach(i -> opens.add(() -> PostgresStore.open(pool)));
                for (Future<PostgresStore> open : threads.invokeAll(opens)) {
                    open.get().close();
                }
            } finally {
                threads.shutdown();
            }
            assertThat(query("select string_agg(version::text, ',' order by version) from longhaul.schema_version"))
                    .isEqualTo("1,2,3");
        }

        @Test
        void is_rejected_with_the_command_to_run_when_migration_is_off() {
            assertThatThrownBy(() -> PostgresStore.open(pool, false))
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("version 0 (expected: 3)")
                    .hasMessageContaining("longhaul migrate --database-url");
        }

        @Test
        void applies_only_missing_migrations_and_keeps_the_jobs() {
            TestPostgres.execute(
                    url,
                    NamedSql.resource("migrations/V1__jobs.sql"),
                    "insert into longhaul.live_job (id, run_at, created_at, updated_at, definition_version,"
                            + " timeout_seconds, state, rank, max_attempts, crashes, definition_key, queue, params)"
                            + " select (substr(longhaul.lowest_id(now())::text, 1, 14)"
                            + " || substr(gen_random_uuid()::text, 15))::uuid, now(), now(), now(), 1, 3600, 1, 0, 9,"
                            + " crashes, 'demo', 'default', '{}' from generate_series(0, 2) crashes");
            try (PostgresStore store = PostgresStore.open(pool)) {
                var request = ClaimRequest.of("w", List.of("default"), null, 10, Duration.ofMinutes(1));
                assertThat(store.work().claim(request)).hasSize(2);
                assertThat(store.work().claim(request.forLastLife())).hasSize(1);
            }
        }

        /** Their version numbers overlap with the released ones, but mean other tables. */
        @ParameterizedTest
        @ValueSource(ints = {1, 3, 10})
        void rejects_a_schema_that_an_unreleased_version_created(int version) throws SQLException {
            TestPostgres.execute(
                    url,
                    "create schema longhaul",
                    "create table longhaul.schema_version (version int primary key, description text not null,"
                            + " applied_at timestamptz not null default now())",
                    "insert into longhaul.schema_version (version, description) select number, description"
                            + " from unnest(array['schema', 'duties', 'server', 'schedules', 'run stats', 'key_queues',"
                            + " 'webhooks', 'webhooks of jobs', 'parked deliveries', 'hardening'])"
                            + " with ordinality as old (description, number) where number <= " + version);
            for (boolean migrate : new boolean[] {true, false}) {
                assertThatThrownBy(() -> PostgresStore.open(pool, migrate))
                        .isInstanceOf(LonghaulException.class)
                        .hasMessageContaining("version 1 is \"schema\" (expected: \"jobs\")")
                        .hasMessageContaining("use an empty database");
            }
            assertThat(query("select count(*) from pg_tables where schemaname = 'longhaul'"))
                    .isEqualTo("1");
        }

        @Test
        void keeps_deliveries_readable_that_do_not_say_how_their_job_ended() {
            try (PostgresStore store = PostgresStore.open(pool)) {
                TestPostgres.execute(
                        url,
                        "insert into longhaul.webhook_delivery (id, webhook_id, event, at, since, next_try_at, job_id, position,"
                                + " definition_key, definition_version, queue, run, attempts, error_code)"
                                + " select gen_random_uuid(), '00000000-0000-0000-0000-000000000000'::uuid, 'job.ended', now(), now(), now(),"
                                + " gen_random_uuid(), 3, 'demo', 1, 'default', 1, 1, code from unnest(array['boom', null]) code");
                List<@Nullable JobStatus> statuses = new ArrayList<>();
                store.webhooks()
                        .deliveries(new UUID(0, 0), null, null, 10)
                        .forEach(one ->
                                statuses.add(Objects.requireNonNull(one.job()).status()));
                assertThat(statuses).containsExactlyInAnyOrder(JobStatus.FAILED, null);
            }
        }

        @Test
        void agrees_with_java_about_which_jobs_are_on_their_last_life() throws SQLException {
            PostgresStore.open(pool).close();
            assertThat(query("select min(n) from generate_series(0, 9) n where longhaul.on_last_life(n::smallint)"))
                    .isEqualTo(String.valueOf(Limits.CRASHES - 1));
        }

        @Test
        void is_not_needed_twice() {
            PostgresStore.open(pool).close();
            PostgresStore.open(pool, false).close();
        }

        @Test
        void says_so_when_the_program_is_older_than_the_schema() {
            PostgresStore.open(pool).close();
            TestPostgres.execute(
                    url, "insert into longhaul.schema_version (version, description) values (99, 'later')");
            for (boolean migrate : new boolean[] {true, false}) {
                assertThatThrownBy(() -> PostgresStore.open(pool, migrate))
                        .isInstanceOf(LonghaulException.class)
                        .hasMessageContaining("version 99")
                        .hasMessageContaining("this program is older than the database: update it");
            }
        }
    }

    @Nested
    class Refusing {
        private final PostgresStore store = PostgresStore.open(pool);

        @AfterEach
        void closeStore() {
            store.close();
        }

        @Test
        void states_that_do_not_fit_their_table_or_their_columns() {
            store.jobs().insert(List.of(spec()));
            for (String change : List.of(
                    "state = 4",
                    "state = 2",
                    "state = 3",
                    "lease_until = now()",
                    "cancel_requested_at = now()",
                    "progress = 101",
                    "rank = 1001",
                    "attempts = -1")) {
                assertThatThrownBy(() -> TestPostgres.execute(url, "update longhaul.live_job set " + change))
                        .as(change)
                        .hasMessageContaining("violates check constraint");
            }
        }

        @Test
        void ends_that_do_not_fit_their_outcome() {
            store.jobs().insert(List.of(spec()));
            store.work().apply(List.of(Transition.succeed(claim(1).get(0).claim(), "{}")));
            for (String change : List.of("state = 1", "state = 5", "result = null", "error_code = 'x'")) {
                assertThatThrownBy(() -> TestPostgres.execute(url, "update longhaul.finished_job set " + change))
                        .as(change)
                        .hasMessageContaining("violates check constraint");
            }
        }

        @Test
        void one_outcome_harms_no_other_of_its_batch() {
            TestPostgres.execute(
                    url,
                    "create function refuse() returns trigger language plpgsql as $$ begin"
                            + " if new.result = '\"bad\"' then raise exception 'not this one' using errcode = '22000';"
                            + " end if; return new; end $$",
                    "create trigger refuse before insert on longhaul.finished_job for each row execute function refuse()");
            store.jobs().insert(IntStream.range(0, 50).mapToObj(i -> spec()).toList());
            List<ClaimedJob> jobs = claim(50);
            List<Transition> outcomes = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                outcomes.add(Transition.succeed(jobs.get(i).claim(), i == 17 || i == 40 ? "\"bad\"" : "{}"));
            }
            List<Verdict> verdicts = store.work().apply(outcomes);
            for (int i = 0; i < 50; i++) {
                boolean bad = i == 17 || i == 40;
                assertThat(verdicts.get(i).kind()).isEqualTo(bad ? Verdict.Kind.REFUSED : Verdict.Kind.WON);
            }
            assertThat(verdicts.get(17).reason()).contains("not this one");
            assertThat(store.jobs().find(jobs.get(17).job().id()).orElseThrow().state())
                    .isEqualTo(JobState.RUNNING);
        }

        @Test
        void leaves_no_setting_behind_on_the_pools_connections() throws SQLException {
            String before = query(SETTINGS);
            store.jobs().insert(List.of(spec(), spec()));
            Claim claim = claim(2).get(0).claim();
            store.work().extend(List.of(claim), Duration.ofMinutes(1));
            store.work().apply(List.of(Transition.succeed(claim, "{}")));
            store.queues().all();
            Leadership leader = store.upkeep()
                    .lead("a", Duration.ofHours(1), Duration.ofMinutes(1))
                    .orElseThrow();
            store.upkeep().expireLeases(new Leadership("a", leader.epoch(), store.now()), 10);
            store.upkeep().retain(leader, Duration.ofDays(7));
            List<Connection> all = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                all.add(pool.getConnection());
            }
            for (Connection connection : all) {
                assertThat(query(connection, SETTINGS)).isEqualTo(before);
                assertThat(connection.getAutoCommit()).isTrue();
                connection.close();
            }
        }

        private static final String SETTINGS =
                "select string_agg(name || '=' || setting, ',' order by name) from pg_settings"
                        + " where name like 'enable%' or name in ('jit', 'plan_cache_mode', 'synchronous_commit', 'lock_timeout',"
                        + " 'idle_in_transaction_session_timeout')";

        private List<ClaimedJob> claim(int max) {
            return store.work().claim(ClaimRequest.of("w", List.of("default"), null, max, Duration.ofMinutes(1)));
        }

        private static JobSpec spec() {
            return JobSpec.of(new DefinitionRef("demo", 1), "{}").build();
        }
    }

    private String query(String sql) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return query(connection, sql);
        }
    }

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
