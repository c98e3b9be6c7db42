package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LongPollTest {
    private final Counting counting = new Counting();
    private final Longhaul longhaul =
            Longhaul.builder().memory().register(counting.definition).start();
    private final LonghaulServer server = LonghaulServer.start(longhaul, Doors.AT_ONCE);
    private final Api api = new Api(server.port());

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    private JobId count() {
        return longhaul.later(counting.definition, new Counting.Count("a", 0));
    }

    private String status(JobId id, int waitSeconds) {
        return api.get("/v1/jobs/" + id + "?waitSeconds=" + waitSeconds)
                .json()
                .get("status")
                .asText();
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void responds_as_soon_as_the_job_has_ended() throws Exception {
        JobId id = count();
        long start = System.nanoTime();
        var answer = CompletableFuture.supplyAsync(() -> status(id, 50));
        Counting.await("it runs", () -> longhaul.find(id).orElseThrow().times().startedAt() != null);
        assertThat(answer).isNotDone();
        counting.finish("a");
        assertThat(answer.get()).isEqualTo("succeeded");
        assertThat(status(id, 50)).isEqualTo("succeeded");
        assertThat(since(start)).isLessThan(Duration.ofSeconds(25));
    }

    @Test
    void responds_with_the_current_job_after_the_timeout() {
        JobId id = count();
        long start = System.nanoTime();
        assertThat(status(id, 1)).isIn("queued", "running");
        assertThat(since(start)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(api.get("/v1/jobs/" + id + "?waitSeconds=61").status()).isEqualTo(400);
        assertThat(api.get("/v1/jobs/" + id + "?waitSeconds=-1").status()).isEqualTo(400);
        assertThat(api.get("/v1/jobs/" + JobId.next() + "?waitSeconds=9").status())
                .isEqualTo(404);
        counting.finish("a");
    }

    @Test
    void holds_no_thread() throws Exception {
        JobId id = count();
        // More requests than the server has threads.
        var clients = Executors.newFixedThreadPool(200);
        try {
            var answers = new ArrayList<CompletableFuture<String>>();
            for (int i = 0; i < 200; i++) {
                answers.add(CompletableFuture.supplyAsync(() -> status(id, 50), clients));
            }
            long start = System.nanoTime();
            assertThat(status(id, 1)).isIn("queued", "running");
            assertThat(since(start)).isLessThan(Duration.ofSeconds(20));
            assertThat(answers).noneMatch(CompletableFuture::isDone);
            counting.finish("a");
            for (var answer : answers) {
                assertThat(answer.get()).isEqualTo("succeeded");
            }
        } finally {
            clients.shutdown();
        }
    }

    @Test
    void responds_at_once_when_the_server_drains() throws Exception {
        JobId id = count();
        var answer = CompletableFuture.supplyAsync(() -> status(id, 50));
        Counting.await("it runs", () -> longhaul.find(id).orElseThrow().times().startedAt() != null);
        server.drain();
        assertThat(answer.get()).isEqualTo("running");
        assertThat(status(id, 50)).isEqualTo("running");
        counting.finish("a");
    }
}
