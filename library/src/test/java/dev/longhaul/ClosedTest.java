package dev.longhaul;

import static dev.longhaul.BatchOptions.concurrency;
import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A closed Longhaul runs and stores nothing, and reports that it is closed. */
class ClosedTest {
    record Nothing() {}

    private static final Nothing NOTHING = new Nothing();

    private final AtomicInteger ran = new AtomicInteger();
    private final JobDefinition<Nothing, Nothing> counted = JobDefinition.of("counted", Nothing.class, Nothing.class)
            .handler((params, context) -> {
                ran.incrementAndGet();
                return NOTHING;
            });

    @Test
    void rejects_every_call_that_runs_or_stores_jobs() {
        var store = new MemoryStore();
        refusesAfterClose(Longhaul.builder().store(store).register(counted), store);
    }

    @Test
    void rejects_the_same_calls_if_it_only_enqueued() {
        var store = new MemoryStore();
        refusesAfterClose(Longhaul.builder().store(store).register(counted).enqueueOnly(), store);
    }

    @Test
    void refuses_the_callers_transaction_too() throws Exception {
        try (HikariDataSource pool =
                TestPostgres.pool(new PatientDataSource(TestPostgres.get().newDatabase(PostgresStore::migrate)), 8)) {
            Longhaul longhaul =
                    Longhaul.builder().postgres(pool).register(counted).start();
            longhaul.close();
            try (Connection connection = pool.getConnection()) {
                refused(() -> longhaul.later(connection, counted, NOTHING));
            }
            refused(() -> longhaul.later(counted, NOTHING));
            refused(() -> longhaul.now(counted, NOTHING));
        }
    }

    @Test
    void running_code_may_enqueue_jobs_until_it_has_ended() throws Exception {
        var self = new CompletableFuture<Longhaul>();
        var asked = new CompletableFuture<JobId>();
        var definition = JobDefinition.of("asking", Nothing.class, Nothing.class)
                .handler((params, context) -> {
                    while (!context.draining()) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                    }
                    // Delayed, because a claim that has begun before the drain may still run a job that is due.
                    asked.complete(self.get().later(counted, NOTHING, options().delay(ofHours(1))));
                    return NOTHING;
                });
        var store = new MemoryStore();
        Longhaul longhaul = Longhaul.builder()
                .store(store)
                .register(definition, counted)
                .drain(ofSeconds(20))
                .start();
        self.complete(longhaul);
        JobId id = longhaul.later(definition, NOTHING);
        while (store.jobs().find(id).orElseThrow().status() != JobStatus.RUNNING) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        longhaul.close();
        assertThat(store.jobs().find(id).orElseThrow().status()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(store.jobs().find(asked.get()).orElseThrow().status()).isEqualTo(JobStatus.SCHEDULED);
    }

    private void refusesAfterClose(LonghaulBuilder builder, Store store) {
        Longhaul longhaul = builder.start();
        JobId held = longhaul.later(counted, NOTHING, options().hold(true));
        longhaul.close();
        longhaul.close();
        refused(() -> longhaul.later(counted, NOTHING));
        refused(() -> longhaul.later(counted, NOTHING, options().idempotencyKey("key")));
        refused(() -> longhaul.laterAll(counted, List.of(NOTHING), options()));
        refused(() -> longhaul.now(counted, NOTHING));
        refused(() -> longhaul.nowUnstored(counted, NOTHING));
        refused(() -> longhaul.batch(counted, List.of(NOTHING), concurrency(1)));
        refused(() -> longhaul.runOne(counted, held));
        refused(longhaul::tick);
        assertThat(ran).hasValue(0);
        assertThat(store.jobs().list(JobQuery.ALL).jobs()).hasSize(1);
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }
}
