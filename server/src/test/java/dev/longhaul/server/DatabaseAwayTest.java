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

/** A database that is stopped, or goes silent: every request is told so within 5 s, and everything goes on when it is back. */
@Tag("full")
@Order(1) // It takes long: the others run beside it.
class DatabaseAwayTest {
    private static final Duration LATEST = Duration.ofSeconds(5);
    /** What a machine with much to do may add. */
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

    private record Told(int status, String body, boolean retryAfter, Duration after) {}

    private Told told(String method, String path, String body) {
        long start = System.nanoTime();
        var reply = method.equals("GET") ? doors.api.get(path) : doors.api.post(path, body);
        return new Told(
                reply.status(),
                reply.body(),
                !reply.header("Retry-After").isEmpty(),
                Duration.ofNanos(System.nanoTime() - start));
    }

    /** Several at once, again and again for a while, of which some find a connection and some do not. */
    private void everybodyIsTold() {
        List<CompletableFuture<Told>> asked = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            asked.add(CompletableFuture.supplyAsync(() -> told("GET", "/v1/jobs", "")));
            asked.add(CompletableFuture.supplyAsync(() -> told(
                    "POST", "/v1/jobs", "{\"definitionKey\":\"test.echo\",\"params\":{\"name\":\"a\",\"number\":1}}")));
        }
        for (CompletableFuture<Told> one : asked) {
            Told told = one.join();
            assertThat(told.status()).as(told.toString()).isEqualTo(503);
            assertThat(told.retryAfter()).as(told.toString()).isTrue();
            assertThat(told.body()).contains("\"code\":\"unavailable\"");
            assertThat(told.after()).as(told.toString()).isLessThan(LATEST.plus(MARGIN));
        }
    }

    private void worksAgain() {
        String id = doors.start("test.echo", ",\"params\":{\"name\":\"b\",\"number\":2}");
        doors.await(id, "succeeded");
    }

    @Test
    void is_told_of_and_work_goes_on_when_it_is_back() {
        worksAgain();
        postgres.stopServer();
        everybodyIsTold();
        postgres.startServer();
        worksAgain();
    }

    @Test
    void that_goes_silent_is_told_of_and_work_goes_on_when_it_speaks_again() throws Exception {
        worksAgain();
        signal("STOP");
        try {
            everybodyIsTold();
            everybodyIsTold();
        } finally {
            signal("CONT");
        }
        worksAgain();
    }

    /** Sends a signal to every process of the database: first to the one that starts the others, which else start meanwhile. */
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
        // One that goes on may end before the others are told to.
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
