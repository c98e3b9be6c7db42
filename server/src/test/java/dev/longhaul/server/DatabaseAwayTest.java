package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.postgres.database.PatientDataSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** While the database is stopped or hangs, every request gets a 503 within 5 s; work resumes when it is available again. */
@Tag("full")
@Order(1) // Long: starts first, so that other tests run in parallel.
class DatabaseAwayTest {
    private static final Duration LATEST = Duration.ofSeconds(5);
    /** Tolerance for a busy machine. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    @TempDir
    Path home;

    private EmbeddedPostgres postgres;
    private HikariDataSource pool;
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
        pool = new HikariDataSource(config);
        doors = new Doors(Longhaul.builder().postgres(pool));
    }

    @AfterEach
    void close() {
        doors.close();
        pool.close();
        postgres.close();
    }

    private record Response(int status, String body, boolean retryAfter, Duration after) {}

    private Response response(String method, String path, String body) {
        long start = System.nanoTime();
        var reply = method.equals("GET") ? doors.api.get(path) : doors.api.post(path, body);
        return new Response(
                reply.status(),
                reply.body(),
                !reply.header("Retry-After").isEmpty(),
                Duration.ofNanos(System.nanoTime() - start));
    }

    /** Sends concurrent requests repeatedly; some get a database connection, some do not. */
    private void allRequestsGet503() {
        List<CompletableFuture<Response>> responses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            responses.add(CompletableFuture.supplyAsync(() -> response("GET", "/v1/jobs", "")));
            responses.add(CompletableFuture.supplyAsync(() -> response(
                    "POST", "/v1/jobs", "{\"definitionKey\":\"test.echo\",\"params\":{\"name\":\"a\",\"number\":1}}")));
        }
        for (CompletableFuture<Response> one : responses) {
            Response response = one.join();
            assertThat(response.status()).as(response.toString()).isEqualTo(503);
            assertThat(response.retryAfter()).as(response.toString()).isTrue();
            assertThat(response.body()).contains("\"code\":\"unavailable\"");
            assertThat(response.after()).as(response.toString()).isLessThan(LATEST.plus(MARGIN));
        }
    }

    private void worksAgain() {
        String id = doors.start("test.echo", ",\"params\":{\"name\":\"b\",\"number\":2}");
        doors.await(id, "succeeded");
    }

    @Test
    void that_is_stopped_is_reported_and_work_resumes_when_it_is_available() {
        worksAgain();
        postgres.stopServer();
        allRequestsGet503();
        postgres.startServer();
        worksAgain();
    }

    @Test
    void that_hangs_is_reported_and_work_resumes_when_it_responds() throws Exception {
        worksAgain();
        signal("STOP");
        try {
            allRequestsGet503();
            allRequestsGet503();
        } finally {
            signal("CONT");
        }
        worksAgain();
    }

    /** Sends a signal to every process of the database, to the parent first, because it could start others meanwhile. */
    private void signal(String name) throws Exception {
        long postmaster = Long.parseLong(Files.readAllLines(postmasterFile()).get(0));
        kill(name, List.of(postmaster));
        kill(
                name,
                ProcessHandle.of(postmaster)
                        .orElseThrow()
                        .descendants()
                        .map(ProcessHandle::pid)
                        .toList());
    }

    private static void kill(String name, List<Long> pids) throws Exception {
        var command = new ArrayList<>(List.of("kill", "-s", name));
        pids.forEach(pid -> command.add(String.valueOf(pid)));
        // A resumed process may end before the others get the signal.
        new ProcessBuilder(command).start().waitFor();
    }

    private Path postmasterFile() throws Exception {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> file.endsWith("postmaster.pid"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
