package dev.longhaul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.postgres.job.CallerTransaction;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What a framework needs: to enqueue before jobs run, and in the transactions and traces that it knows. */
class OpenThenStartTest {
    private final JobDefinition<String, String> greet =
            JobDefinition.of("greet", String.class, String.class).handler((name, context) -> "Hello, " + name);

    private static JobStatus ended(Longhaul longhaul, JobDefinition<?, ?> definition, JobId id)
            throws InterruptedException {
        return longhaul.await(definition, id, Duration.ofSeconds(20)).status();
    }

    @Nested
    class Start {
        @Test
        void jobs_are_enqueued_before_the_start_and_run_after_it() throws Exception {
            try (Longhaul longhaul = Longhaul.builder().store(new MemoryStore()).open()) {
                longhaul.registry().register(greet);
                JobId id = longhaul.later(greet, "Ann");
                assertThat(longhaul.health().healthy()).isFalse();
                assertThatThrownBy(() -> longhaul.now(greet, "Bob")).hasMessageContaining("has not been started");
                assertThat(longhaul.find(id).orElseThrow().status()).isEqualTo(JobStatus.QUEUED);

                longhaul.start();
                longhaul.start();

                assertThat(ended(longhaul, greet, id)).isEqualTo(JobStatus.SUCCEEDED);
                assertThat(longhaul.health().healthy()).isTrue();
            }
        }

        @Test
        void a_definition_that_is_registered_after_opening_has_its_queue_and_schedules() throws Exception {
            try (Longhaul longhaul = Longhaul.builder().store(new MemoryStore()).open()) {
                JobDefinition<Void, Void> tidy = JobDefinition.of("tidy", Void.class, Void.class)
                        .queue("tidying")
                        .schedule(Timing.every(Duration.ofDays(1), Instant.parse("2026-01-01T00:00:00Z")))
                        .handler((params, context) -> null);
                longhaul.registry().register(tidy);
                longhaul.start();
                assertThat(ended(longhaul, tidy, longhaul.later("tidy", null))).isEqualTo(JobStatus.SUCCEEDED);
                assertThat(longhaul.schedules().find("tidy")).isPresent();
            }
        }

        @Test
        void after_a_stop_jobs_are_enqueued_and_the_next_start_runs_them() throws Exception {
            try (Longhaul longhaul =
                    Longhaul.builder().store(new MemoryStore()).register(greet).start()) {
                longhaul.stop();
                longhaul.stop();
                JobId id = longhaul.later(greet, "Ann");
                assertThatThrownBy(() -> longhaul.now(greet, "Bob")).isInstanceOf(LonghaulException.class);
                assertThat(longhaul.find(id).orElseThrow().status()).isEqualTo(JobStatus.QUEUED);
                longhaul.start();
                assertThat(ended(longhaul, greet, id)).isEqualTo(JobStatus.SUCCEEDED);
            }
        }
    }

    @Nested
    class ByKey {
        @Test
        void the_type_of_params_is_checked() {
            try (Longhaul longhaul =
                    Longhaul.builder().store(new MemoryStore()).register(greet).open()) {
                assertThat(longhaul.find(longhaul.later("greet", "Ann"))).isPresent();
                assertThatThrownBy(() -> longhaul.later("greet", 7))
                        .hasMessageContaining("params: java.lang.Integer (expected: java.lang.String)");
                assertThatThrownBy(() -> longhaul.later("greet", null)).hasMessageContaining("params: null");
                assertThatThrownBy(() -> longhaul.later("great", "Ann")).hasMessageContaining("greet@1");
            }
        }
    }

    @Test
    void the_callers_trace_is_stored_unless_the_options_name_one() {
        String current = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        String own = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        try (Longhaul longhaul = Longhaul.builder()
                .store(new MemoryStore())
                .register(greet)
                .traceparent(() -> current)
                .open()) {
            JobId traced = longhaul.later(greet, "Ann");
            JobId other = longhaul.later(greet, "Ann", JobOptions.options().traceparent(own));
            assertThat(longhaul.find(traced).orElseThrow().spec().traceparent()).isEqualTo(current);
            assertThat(longhaul.find(other).orElseThrow().spec().traceparent()).isEqualTo(own);
        }
    }

    @Nested
    class Joining {
        /** The transaction of this test's thread. */
        private static final class Open implements CallerTransaction {
            private final List<Runnable> afterCommit = new ArrayList<>();
            private @Nullable Connection connection;

            @Override
            public @Nullable Connection connection() {
                return connection;
            }

            @Override
            public void afterCommit(Runnable action) {
                afterCommit.add(action);
            }

            void begin(Connection given) throws SQLException {
                given.setAutoCommit(false);
                connection = given;
            }

            void end() {
                connection = null;
            }
        }

        @Test
        void jobs_are_visible_counted_and_announced_once_it_commits() throws Exception {
            List<JobSpec> counted = new CopyOnWriteArrayList<>();
            var transaction = new Open();
            try (HikariDataSource pool = TestPostgres.pool(
                            new PatientDataSource(TestPostgres.get().newDatabase(PostgresStore::migrate)), 8);
                    Longhaul longhaul = Longhaul.builder()
                            .postgres(pool)
                            .register(greet)
                            .joinTransactions(transaction)
                            .observe(new StoreListener() {
                                @Override
                                public void enqueued(List<JobSpec> jobs) {
                                    counted.addAll(jobs);
                                }
                            })
                            .start();
                    Connection connection = pool.getConnection()) {
                transaction.begin(connection);
                JobId id = longhaul.later(greet, "Ann");
                List<JobId> others = longhaul.laterAll(greet, List.of("Bob", "Cid"), JobOptions.options());
                transaction.end();
                assertThat(longhaul.find(id)).isEmpty();
                assertThat(counted).isEmpty();

                connection.commit();
                transaction.afterCommit.forEach(Runnable::run);

                assertThat(counted).hasSize(3);
                assertThat(ended(longhaul, greet, id)).isEqualTo(JobStatus.SUCCEEDED);
                assertThat(ended(longhaul, greet, others.get(1))).isEqualTo(JobStatus.SUCCEEDED);
            }
        }

        @Test
        void jobs_vanish_when_it_rolls_back() throws Exception {
            var transaction = new Open();
            try (HikariDataSource pool = TestPostgres.pool(
                            new PatientDataSource(TestPostgres.get().newDatabase(PostgresStore::migrate)), 8);
                    Longhaul longhaul = Longhaul.builder()
                            .postgres(pool)
                            .register(greet)
                            .joinTransactions(transaction)
                            .start();
                    Connection connection = pool.getConnection()) {
                transaction.begin(connection);
                JobId id = longhaul.later(greet, "Ann");
                connection.rollback();
                transaction.end();
                assertThat(longhaul.find(id)).isEmpty();
                assertThat(longhaul.list(JobQuery.ALL).jobs()).isEmpty();
            }
        }
    }
}
