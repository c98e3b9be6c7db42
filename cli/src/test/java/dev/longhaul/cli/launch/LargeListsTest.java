package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server with a small heap (256 MiB) and jobs whose results would fill it several times. */
@Tag("faults")
@Tag("full")
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the embedded PostgreSQL is not for Windows")
class LargeListsTest {
    private static final int JOBS = 240;
    private static final int IN_ONE_REQUEST = 12;

    @TempDir
    Path directory;

    private static void submit(LonghaulProcess server) {
        String one = "{\"definitionKey\":\"demo.echo\",\"params\":\"" + "x".repeat(255_000) + "\"}";
        String batch = "{\"jobs\":["
                + String.join(",", List.of(one, one, one, one, one, one, one, one, one, one, one, one)) + "]}";
        for (int i = 0; i < JOBS; i += IN_ONE_REQUEST) {
            assertThat(server.post("/v1/jobs/batch", batch).status()).isEqualTo(202);
        }
        long end = System.nanoTime() + LonghaulProcess.TIMEOUT.toNanos();
        while (server.get("/v1/jobs/count?status=succeeded")
                        .json()
                        .findPath("succeeded")
                        .asInt()
                < JOBS) {
            assertThat(System.nanoTime()).as("jobs that end").isLessThan(end);
            LockSupport.parkNanos(100_000_000);
        }
    }

    private static int pages(LonghaulProcess server, String query) {
        int jobs = 0;
        JsonNode page = server.get("/v1/jobs?limit=500" + query).json();
        jobs += page.get("jobs").size();
        while (!page.get("nextCursor").isNull()) {
            page = server.get("/v1/jobs?limit=500" + query + "&cursor="
                            + page.get("nextCursor").asText())
                    .json();
            jobs += page.get("jobs").size();
        }
        return jobs;
    }

    @Test
    void serves_them_to_many_concurrent_callers_and_stops_on_request() throws Exception {
        try (var server = LonghaulProcess.start(
                        directory,
                        "dev",
                        "--port",
                        "0",
                        "--data-dir",
                        directory.resolve("data").toString(),
                        "--slots",
                        "2")
                .awaitReady()) {
            submit(server);
            JsonNode brief = server.get("/v1/jobs?limit=500").json();
            assertThat(brief.get("jobs")).hasSize(JOBS).noneMatch(job -> job.has("result"));
            LonghaulProcess.Reply full = server.get("/v1/jobs?limit=500&fields=result");
            assertThat(full.body().length()).isBetween(1_000_000, 3_000_000);
            assertThat(full.json().at("/jobs/0/result").asText()).hasSize(255_000);

            var callers = new ArrayList<CompletableFuture<Integer>>();
            for (String query : List.of("&fields=result", "&view=full", "&fields=result", "&order=oldest&view=full")) {
                callers.add(CompletableFuture.supplyAsync(() -> pages(server, query)));
            }
            for (CompletableFuture<Integer> caller : callers) {
                assertThat(caller.get()).isEqualTo(JOBS);
            }
            assertThat(server.get("/readyz").status()).isEqualTo(200);
            server.signal("TERM");
            assertThat(server.awaitExit()).isZero();
        }
    }
}
