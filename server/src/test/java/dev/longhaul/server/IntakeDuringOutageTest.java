package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.contract.intake.MemoryIntake;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.intake.IntakeMode;
import dev.longhaul.intake.IntakeStore;
import dev.longhaul.intake.IntakeWriter;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with an intake refuses no job while PostgreSQL restarts, and each accepted job is stored once. */
@Tag("full")
class IntakeDuringOutageTest {
    private static final String HELD =
            "{\"definitionKey\":\"test.echo\",\"params\":{\"name\":\"a\",\"number\":1},\"hold\":true}";

    @TempDir
    Path home;

    private final MemoryIntake intake = new MemoryIntake(4, InstantSource.system());
    private EmbeddedPostgres postgres;
    private HikariDataSource pool;
    private PostgresStore store;
    private Doors doors;

    @BeforeEach
    void open() {
        postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home));
        var source = new PatientDataSource(postgres.jdbcUrl());
        source.setUser(postgres.user());
        source.setPassword(postgres.password());
        var config = new HikariConfig();
        config.setDataSource(source);
        config.setConnectionTimeout(3000);
        config.setMaximumPoolSize(20);
        pool = new HikariDataSource(config);
        store = PostgresStore.open(pool);
        doors = new Doors(Longhaul.builder().store(new IntakeStore(store, intake, IntakeMode.UNAVAILABLE)));
    }

    @AfterEach
    void close() {
        doors.close();
        store.close();
        pool.close();
        postgres.close();
    }

    @Test
    @SuppressWarnings("try") // The writer runs until it is closed.
    void of_the_database_every_job_is_accepted_and_stored_once() throws Exception {
        Queue<String> accepted = new ConcurrentLinkedQueue<>();
        Queue<String> refused = new ConcurrentLinkedQueue<>();
        var deferred = new AtomicInteger();
        var stop = new AtomicInteger();
        List<Thread> clients = Stream.generate(() -> new Thread(() -> {
                    while (stop.get() == 0) {
                        Api.Reply reply = doors.api.post("/v1/jobs", HELD);
                        if (reply.status() == 202) {
                            accepted.add(reply.json().get("jobId").asText());
                            deferred.addAndGet(reply.json().has("deferred") ? 1 : 0);
                        } else {
                            refused.add(reply.body());
                        }
                    }
                }))
                .limit(4)
                .toList();
        clients.forEach(Thread::start);
        try (var writer = IntakeWriter.start(store, intake::join)) {
            Counting.await("jobs are stored directly", () -> accepted.size() > 50);
            postgres.stopServer();
            Counting.await("jobs are deferred", () -> deferred.get() > 200);
            postgres.startServer();
            int before = accepted.size();
            int deferredBefore = deferred.get();
            Counting.await(
                    "jobs are stored directly again",
                    () -> accepted.size() - before > deferred.get() - deferredBefore + 50);
            stop.set(1);
            for (Thread client : clients) {
                client.join();
            }
            Counting.await("the log is stored", () -> {
                var state = doors.api.get("/v1/intake").json();
                return state.get("waiting").asLong() == 0;
            });
        }

        assertThat(refused).isEmpty();
        assertThat(accepted).doesNotHaveDuplicates();
        assertThat(intake.parked()).isEmpty();
        long stored = store.jobs().count(JobQuery.ALL).counts().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        assertThat(stored).isEqualTo(accepted.size());
    }
}
