package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.RunAt;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.postgres.upkeep.Leader;
import dev.longhaul.postgres.work.RunEnds;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.ScheduleFires.Pass;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Races that depend on PostgreSQL's own locking. */
@Tag("full")
class RacesTest {
    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 20);
    private final PostgresStore store = PostgresStore.open(pool);
    private final List<JobId> ids = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        store.close();
        pool.close();
    }

    @Test
    void an_insert_sent_again_while_its_job_is_about_to_finish_creates_no_second_job() throws Exception {
        JobSpec spec = spec("demo");
        store.jobs().insert(List.of(spec));
        ClaimedJob job = claim(1).get(0);
        try (Connection finishing = pool.getConnection()) {
            finishing.setAutoCommit(false);
            RunEnds.finish(finishing, List.of(Transition.succeed(job.claim(), "{}")));
            Future<List<Inserted>> again = threads.submit(() -> store.jobs().insert(List.of(spec)));
            awaitLockWait();
            finishing.commit();
            assertThat(again.get(10, TimeUnit.SECONDS)).noneMatch(Inserted::isNew);
        }
        assertThat(claim(1)).isEmpty();
    }

    @Test
    void a_job_is_stored_while_the_row_its_webhook_shares_is_being_removed() throws Exception {
        var webhook = JobWebhook.to("https://hooks.example.com/done");
        store.jobs().insert(List.of(spec("demo").toBuilder().webhook(webhook).build()));
        try (Connection removing = pool.getConnection();
                Statement statement = removing.createStatement()) {
            removing.setAutoCommit(false);
            statement.execute("select from longhaul.webhook where of_jobs for update");
            JobSpec next = spec("demo").toBuilder().webhook(webhook).build();
            Future<List<Inserted>> stored = threads.submit(() -> store.jobs().insert(List.of(next)));
            awaitLockWait();
            statement.execute("delete from longhaul.webhook where of_jobs");
            removing.commit();
            assertThat(stored.get(10, TimeUnit.SECONDS)).allMatch(Inserted::isNew);
        }
        assertThat(count("select count(*) from longhaul.job_webhook")).isOne();
    }

    @Test
    void claims_and_mixed_outcomes_of_limited_definitions_do_not_deadlock() throws Exception {
        StoreContract.limitRuns(store, "a", 20);
        StoreContract.limitRuns(store, "b", 20);
        List<JobSpec> jobs = new ArrayList<>();
        IntStream.range(0, 400).forEach(i -> jobs.add(spec(i % 2 == 0 ? "a" : "b")));
        store.jobs().insert(jobs);
        jobs.forEach(job -> ids.add(job.id()));
        long before = deadlocks();
        List<Callable<Integer>> workers = new ArrayList<>();
        IntStream.range(0, 4).forEach(i -> workers.add(() -> work(100)));
        for (Future<Integer> worker : threads.invokeAll(workers)) {
            worker.get(60, TimeUnit.SECONDS);
        }
        assertThat(deadlocks() - before).isZero();
        assertThat(count("select count(*) from longhaul.definition_limit l where l.running <> (select count(*)"
                        + " from longhaul.live_job j where j.definition_key = l.definition_key and j.state >= 2)"))
                .isZero();
    }

    /** Ends runs of both definitions in one batch, some for good and some to be retried. */
    private int work(int rounds) {
        int ended = 0;
        for (int i = 0; i < rounds; i++) {
            List<Transition> outcomes = new ArrayList<>();
            List<ClaimedJob> claimed = new ArrayList<>(claim(6));
            claimOne(ids.get((i * 7) % ids.size())).ifPresent(claimed::add);
            for (ClaimedJob job : claimed) {
                boolean again = (ended++ % 2 == 0)
                        == job.job().spec().definition().key().equals("a");
                outcomes.add(
                        again
                                ? Transition.retry(job.claim(), RunAt.now(), Failure.of("exception", "x"))
                                : Transition.fail(job.claim(), Failure.of("exception", "x")));
            }
            store.work().apply(outcomes);
        }
        return ended;
    }

    @Test
    void a_successor_waits_for_the_commit_of_the_leader() throws Exception {
        Leadership first = store.upkeep()
                .lead("a", Duration.ofMillis(1), Duration.ofMinutes(1))
                .orElseThrow();
        try (Connection leading = pool.getConnection()) {
            leading.setAutoCommit(false);
            assertThat(new Leader(new Database(pool)).holds(leading, first)).isTrue();
            Future<Optional<Leadership>> successor =
                    threads.submit(() -> store.upkeep().lead("b", Duration.ofMinutes(1), Duration.ofMinutes(1)));
            awaitLockWait();
            leading.commit();
            assertThat(successor.get(10, TimeUnit.SECONDS))
                    .hasValueSatisfying(leads -> assertThat(leads.epoch()).isGreaterThan(first.epoch()));
            assertThat(new Leader(new Database(pool)).holds(leading, first)).isFalse();
        }
    }

    @Test
    void a_leader_that_is_deposed_while_it_fires_schedules_stores_nothing() throws Exception {
        Leadership first = store.upkeep()
                .lead("a", Duration.ofMinutes(1), Duration.ofMinutes(1))
                .orElseThrow();
        dueSchedule();
        try (Connection successor = pool.getConnection()) {
            successor.setAutoCommit(false);
            execute(successor, "update longhaul.leader set holder = 'b', epoch = epoch + 1");
            Future<Pass> pass = threads.submit(() -> store.scheduleFires().fireDue(first, 10));
            awaitLockWait();
            successor.commit();
            assertThat(pass.get(10, TimeUnit.SECONDS)).isEqualTo(Pass.NOTHING);
        }
        assertThat(store.schedules().fires("due", null, 10)).isEmpty();
    }

    @Test
    void a_schedule_that_is_being_changed_stays_due() throws Exception {
        Leadership leadership = store.upkeep()
                .lead("a", Duration.ofMinutes(1), Duration.ofMinutes(1))
                .orElseThrow();
        dueSchedule();
        try (Connection editing = pool.getConnection()) {
            editing.setAutoCommit(false);
            execute(editing, "update longhaul.schedule set version = version + 1");
            assertThat(store.scheduleFires().fireDue(leadership, 10)).isEqualTo(Pass.NOTHING);
            editing.commit();
        }
        assertThat(store.scheduleFires().fireDue(leadership, 10).fires()).hasSize(1);
    }

    private void dueSchedule() throws SQLException {
        JobTemplate job = JobTemplate.of(spec("demo"));
        Timing hourly = Timing.every(Duration.ofHours(1), Instant.now().minusSeconds(2));
        var spec = new ScheduleSpec("due", job, Timetable.of(hourly), CatchUp.DEFAULT, Overlap.ALLOW);
        store.schedules().create(spec, false, null);
        try (Connection connection = pool.getConnection()) {
            execute(connection, "update longhaul.schedule set next_fire_at = anchor");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void a_leader_that_stands_still_in_a_transaction_loses_it() throws Exception {
        Leadership first = store.upkeep()
                .lead("a", Duration.ofMinutes(1), Duration.ofMinutes(1))
                .orElseThrow();
        try (Connection leading = pool.getConnection()) {
            leading.setAutoCommit(false);
            new Leader(new Database(pool)).holds(leading, first);
            assertThat(setting(leading, "idle_in_transaction_session_timeout")).isEqualTo("5s");
            leading.rollback();
            assertThat(setting(leading, "idle_in_transaction_session_timeout")).isEqualTo("0");
        }
    }

    @Test
    void a_first_limit_waits_for_no_other_session_and_blocks_none() throws Exception {
        try (Connection caller = pool.getConnection()) {
            caller.setAutoCommit(false);
            store.capability(TransactionalInserts.class).orElseThrow().insert(caller, List.of(spec("demo")));
            threads.submit(() -> StoreContract.limitRuns(store, "demo", 1)).get(10, TimeUnit.SECONDS);
            store.jobs().insert(List.of(spec("demo"), spec("demo")));
            assertThat(claim(2)).hasSize(1);
            caller.rollback();
        }
    }

    @Test
    void planner_settings_hold_in_every_execution_of_a_statement() throws Exception {
        NamedSql sql = NamedSql.load("planner_probe");
        try (Connection connection = pool.getConnection()) {
            for (int i = 0; i < 12; i++) {
                try (Call call = sql.on(connection)) {
                    String seen = call.set("text", i % 2 == 0 ? "x" : null)
                            .set("at", i % 3 == 0 ? store.now() : null)
                            .set("id", i % 2 == 0 ? null : spec("demo").id().value())
                            .texts("texts", i % 4 == 0 ? null : List.of("y"))
                            .list(row -> row.text("setting"))
                            .get(0);
                    assertThat(seen).as("execution " + i).isEqualTo("off");
                }
            }
            assertThat(count("select (current_setting('enable_seqscan') = 'off')::int"))
                    .isZero();
        }
    }

    private Optional<ClaimedJob> claimOne(JobId id) {
        try {
            return Optional.of(store.claimById().claimOne(id, Claim.newKey(), "w", Duration.ofMinutes(1)));
        } catch (LonghaulException refused) {
            assertThat(refused.code()).isIn(ErrorCode.FAILED_PRECONDITION, ErrorCode.RESOURCE_EXHAUSTED);
            return Optional.empty();
        }
    }

    private List<ClaimedJob> claim(int max) {
        return store.work().claim(ClaimRequest.of("w", List.of("default"), null, max, Duration.ofMinutes(1)));
    }

    private static JobSpec spec(String definition) {
        return JobSpec.of(new DefinitionRef(definition, 1), "{}")
                .maxAttempts(50)
                .build();
    }

    private void awaitLockWait() throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        String waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                + " and datname = current_database()";
        while (count(waiting) == 0) {
            assertThat(System.nanoTime()).as("no session waits for a lock").isLessThan(end);
        }
    }

    /** The number that PostgreSQL has counted so far; it flushes statistics when a connection is idle for a moment. */
    private long deadlocks() throws SQLException {
        return count("select deadlocks from pg_stat_database where datname = current_database()");
    }

    private static String setting(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show " + name)) {
            row.next();
            return row.getString(1);
        }
    }

    private long count(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
