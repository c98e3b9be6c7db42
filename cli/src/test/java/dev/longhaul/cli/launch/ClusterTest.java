package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Several processes on one PostgreSQL are interchangeable. */
@Tag("full")
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the embedded PostgreSQL is not for Windows")
@Order(1) // Slow: starts first, so that other classes run in parallel.
class ClusterTest {
    private static final int JOBS = 1000;
    private static final int CALLERS = 16;
    private static final int BEFORE_THE_KILL = 300;

    @TempDir
    Path directory;

    private @Nullable EmbeddedPostgres postgres;
    private Map<String, String> environment = Map.of();

    @BeforeEach
    void startDatabase() {
        var started = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("database")));
        postgres = started;
        String url = "postgres://" + started.user() + ":" + started.password() + "@127.0.0.1:" + started.port()
                + "/postgres";
        environment = Map.of("LONGHAUL_STORE", url, "LONGHAUL_DEMO", "true", "LONGHAUL_PORT", "0");
    }

    @AfterEach
    void stopDatabase() {
        if (postgres != null) {
            postgres.close();
        }
    }

    private LonghaulProcess start(String... arguments) {
        return LonghaulProcess.start(directory, environment, arguments);
    }

    @Test
    void a_job_is_started_watched_and_cancelled_through_different_processes() {
        try (var first = start("server", "--role=api,scheduler");
                var second = start("server", "--role=api");
                var third = start("server", "--role=api,worker");
                var fourth = start("worker")) {
            List.of(first, second, third, fourth).forEach(LonghaulProcess::awaitReady);
            String id = first.submit("demo.sleep", "{\"millis\": 600000}");
            assertThat(second.awaitStatus(id, "running").get("workerId").asText())
                    .isNotEmpty();
            assertThat(third.post("/v1/jobs/" + id + "/cancel", "{}").status()).isEqualTo(202);
            assertThat(second.get("/v1/jobs/" + id + "?waitSeconds=30")
                            .json()
                            .get("status")
                            .asText())
                    .isEqualTo("cancelled");
            assertThat(first.get("/v1/workers").json().get("workers")).hasSize(2);
        }
    }

    @Test
    void a_submission_to_a_killed_server_is_repeated_elsewhere_and_stored_once() throws Exception {
        try (var first = start("server", "--role=api,scheduler");
                var second = start("server", "--role=api")) {
            first.awaitReady();
            second.awaitReady();
            first.submit("demo.echo", "0");
            Map<Integer, String> ids = new ConcurrentHashMap<>();
            Set<Integer> unanswered = ConcurrentHashMap.newKeySet();
            var next = new AtomicInteger();
            var callers = Executors.newFixedThreadPool(CALLERS);
            var work = new ArrayList<Future<?>>();
            for (int i = 0; i < CALLERS; i++) {
                work.add(callers.submit(() -> {
                    for (int n = next.getAndIncrement(); n < JOBS; n = next.getAndIncrement()) {
                        try {
                            ids.put(n, submit(first, n));
                        } catch (UncheckedIOException e) {
                            unanswered.add(n);
                        }
                        if (ids.size() >= BEFORE_THE_KILL) {
                            first.kill();
                        }
                    }
                }));
            }
            awaitAll(work);
            assertThat(unanswered).isNotEmpty();
            awaitAll(unanswered.stream()
                    .map(n -> callers.submit(() -> ids.put(n, submit(second, n))))
                    .toList());
            callers.shutdown();
            assertThat(ids).hasSize(JOBS);
            // All of them again: a known idempotency key returns the same job.
            ids.forEach((n, id) -> {
                if (n % 10 == 0) {
                    assertThat(submit(second, n)).isEqualTo(id);
                }
            });
            assertThat(listed(second)).isEqualTo(new TreeSet<>(ids.values())).hasSize(JOBS);
        }
    }

    private static void awaitAll(List<? extends Future<?>> work) throws Exception {
        for (Future<?> one : work) {
            one.get();
        }
    }

    private static String submit(LonghaulProcess server, int n) {
        return server.post(
                        "/v1/jobs",
                        "{\"definitionKey\":\"demo.echo\",\"params\":" + n + ",\"idempotencyKey\":\"k" + n
                                + "\",\"labels\":{\"run\":\"kill\"}}")
                .json()
                .get("jobId")
                .asText();
    }

    private static Set<String> listed(LonghaulProcess server) {
        var all = new TreeSet<String>();
        String cursor = "";
        do {
            var page = server.get("/v1/jobs?label.run=kill&limit=500" + cursor).json();
            page.get("jobs").forEach(job -> all.add(job.get("jobId").asText()));
            cursor = page.get("nextCursor").isNull()
                    ? ""
                    : "&cursor=" + page.get("nextCursor").asText();
        } while (!cursor.isEmpty());
        return all;
    }
}
