package dev.longhaul.postgres.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.spi.Leadership;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.SendingRules;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.Transition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The effects outbox in the database. */
class EffectsTest {
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final String EFFECTS = "select count(*) from longhaul.job_effect";
    private static final String DELIVERIES = "select count(*) from longhaul.webhook_delivery";
    private static final String DISPATCHER = "pg_advisory_xact_lock(hashtext('longhaul'), hashtext('effects'))";

    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 10);
    private final PostgresStore store = PostgresStore.open(pool);
    private final Uuid7 ids = new Uuid7(System::currentTimeMillis);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        store.close();
        pool.close();
    }

    @Test
    void holds_nothing_that_no_consumer_subscribes_to() throws SQLException {
        subscribe(Set.of(WebhookEvent.JOB_FAILED), Set.of(), Set.of());
        subscribe(Set.of(WebhookEvent.JOB_ENDED), Set.of("other"), Set.of());
        subscribe(Set.of(WebhookEvent.JOB_ENDED), Set.of(), Set.of("other"));
        store.catalog().hooks("other", true);
        succeed(10);

        assertThat(count(EFFECTS)).isZero();
    }

    @Test
    void holds_one_effect_per_consumer_of_a_transition() throws SQLException {
        subscribe(Set.of(WebhookEvent.JOB_SUCCEEDED, WebhookEvent.JOB_ENDED), Set.of(), Set.of());
        subscribe(Set.of(WebhookEvent.JOB_ENDED), Set.of(), Set.of());
        store.catalog().hooks("demo", true);
        succeed(10);

        assertThat(count(EFFECTS + " where consumer = 0")).isEqualTo(10);
        assertThat(count(EFFECTS + " where consumer = 1")).isEqualTo(10);
        assertThat(take()).hasSize(20);
        assertThat(count(DELIVERIES)).isEqualTo(30);
        assertThat(count(EFFECTS + " where consumer = 0")).isZero();
    }

    @Test
    void is_emptied_however_many_effects_it_holds() throws SQLException {
        subscribe(Set.of(WebhookEvent.JOB_SUCCEEDED), Set.of(), Set.of());
        succeed(2500);

        assertThat(store.deliveries().backlog().pending()).isEqualTo(2500);
        assertThat(count(EFFECTS)).isZero();
    }

    @Test
    void loses_and_doubles_nothing_when_a_dispatcher_dies() throws Exception {
        subscribe(Set.of(WebhookEvent.JOB_SUCCEEDED), Set.of(), Set.of());
        succeed(20);
        try (Connection blocking = pool.getConnection();
                Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("lock table longhaul.webhook_delivery in exclusive mode");
            Future<List<DueDelivery>> first = threads.submit(this::take);
            awaitWaiting();
            // Between the delete of the effects and the commit of the deliveries.
            statement.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                    + " where wait_event_type = 'Lock' and datname = current_database()");
            blocking.commit();
            first.get(20, TimeUnit.SECONDS);
        }
        take();

        assertThat(count(DELIVERIES)).isEqualTo(20);
        assertThat(count("select count(distinct job_id) from longhaul.webhook_delivery"))
                .isEqualTo(20);
        assertThat(count(EFFECTS)).isZero();
    }

    @Test
    void is_left_to_the_dispatcher_that_is_at_work() throws Exception {
        subscribe(Set.of(WebhookEvent.JOB_SUCCEEDED), Set.of(), Set.of());
        succeed(5);
        try (Connection other = pool.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select " + DISPATCHER);
            assertThat(take()).as("a sender does not block").isEmpty();
            Future<?> subscriber =
                    threads.submit(() -> subscribe(Set.of(WebhookEvent.JOB_SUCCEEDED), Set.of(), Set.of()));
            awaitWaiting();
            other.commit();
            subscriber.get(20, TimeUnit.SECONDS);
        }
        assertThat(count(DELIVERIES)).as("the new webhook gets none").isEqualTo(5);
    }

    @Test
    void is_emptied_by_retention_in_a_database_without_a_server() throws SQLException {
        subscribe(Set.of(WebhookEvent.JOB_SUCCEEDED), Set.of(), Set.of());
        succeed(5);
        Leadership leadership =
                store.upkeep().lead("leader", Duration.ofMinutes(1), LEASE).orElseThrow();
        store.upkeep().retain(leadership, Duration.ofDays(7));

        assertThat(count(EFFECTS)).isZero();
        assertThat(count(DELIVERIES)).isEqualTo(5);
    }

    private void subscribe(Set<WebhookEvent> events, Set<String> definitions, Set<String> queues) {
        var spec = new WebhookSpec(
                "https://hooks.example.com/", events, definitions, queues, Map.of(), List.of(WebhookSecret.random()));
        store.webhooks().create(UUID.randomUUID(), spec, null);
    }

    private void succeed(int jobs) {
        store.jobs()
                .insert(IntStream.range(0, jobs)
                        .mapToObj(i -> JobSpec.of(new DefinitionRef("demo", 1), "{}")
                                .id(new JobId(ids.next()))
                                .build())
                        .toList());
        var claimed = store.work().claim(ClaimRequest.of("worker", List.of("default"), null, jobs, LEASE));
        store.work()
                .apply(claimed.stream()
                        .map(job -> Transition.succeed(job.claim(), "{}"))
                        .toList());
    }

    private List<DueDelivery> take() {
        return store.deliveries().take(Map.of(), 100, 100, SendingRules.USUAL, Duration.ofMinutes(1));
    }

    private void awaitWaiting() throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (count("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                        + " and datname = current_database()")
                == 0) {
            assertThat(System.nanoTime()).as("no session waits for a lock").isLessThan(end);
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
