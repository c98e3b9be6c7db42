package dev.longhaul.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventType;
import dev.longhaul.isolation.ChildJobs.Add;
import dev.longhaul.isolation.ChildJobs.Nothing;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.json.Json;
import dev.longhaul.process.command.Command;
import dev.longhaul.process.command.CommandHandler;
import dev.longhaul.process.command.CommandResult;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.spi.JobCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Misbehaving jobs beside jobs that must not be affected. With {@code -Pfaults} there are 20 of each among 200. */
@Tag("full")
@Tag("jdk")
class NeighboursTest {
    private static final boolean FULL = "full".equals(System.getProperty("longhaul.faults"));
    private static final int BAD = FULL ? 20 : 1;
    private static final int GOOD = FULL ? 200 : 4;
    private static final Duration GRACE = Duration.ofMillis(500);

    /** Forks for as long as it can; it may have 40 processes. */
    private static final JobDefinition<JsonNode, CommandResult> BOMB =
            command("bomb", Isolation.process().processes(40), "f() { f | f & }; f; sleep 1; echo still there; exit 5");

    private static final JobDefinition<JsonNode, CommandResult> FLOOD = command(
            "flood",
            Isolation.process(),
            "head -c " + (FULL ? 1_000_000_000 : 50_000_000) + " /dev/zero | tr '\\000' x");

    private static final Longhaul LONGHAUL = Longhaul.builder()
            .memory()
            .register(new ChildJobs().definitions().toArray(JobDefinition<?, ?>[]::new))
            .register(FLOOD)
            .slots(8)
            .cancelGrace(GRACE)
            .drain(Duration.ZERO)
            .start();
    private static final Isolated JOBS = new Isolated(LONGHAUL);

    private static JobDefinition<JsonNode, CommandResult> command(String key, Isolation isolation, String script) {
        var command = new Command(List.of("/bin/sh", "-c", script), Map.of(), null, null, null);
        return JobDefinition.of(key, JsonNode.class, CommandResult.class)
                .paramsSchema("true")
                .isolation(isolation)
                .maxAttempts(1)
                .handler(new CommandHandler(params -> command, Set.of()));
    }

    @AfterAll
    static void close() {
        LONGHAUL.close();
    }

    private List<JobId> good() {
        return Stream.generate(() -> LONGHAUL.later(ChildJobs.ADD, new Add(1, 2)))
                .limit(GOOD)
                .toList();
    }

    private void succeeded(List<JobId> good) {
        assertThat(good).allMatch(id -> JOBS.ended(id).state() == JobState.SUCCEEDED);
    }

    private <P> List<JobId> bad(JobDefinition<P, ?> definition, P params) {
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < BAD; i++) {
            ids.add(LONGHAUL.later(definition, params));
        }
        return ids;
    }

    @Test
    void that_use_too_much_memory() {
        List<JobId> hogs = bad(ChildJobs.HOG, new Nothing());
        succeeded(good());
        assertThat(hogs).allMatch(id -> JOBS.failure(id).code().equals("out_of_memory"));
    }

    @Test
    void that_crash() {
        List<JobId> crashers = bad(ChildJobs.CRASHER, new Nothing());
        succeeded(good());
        assertThat(crashers).allMatch(id -> JOBS.failure(id).code().equals("quarantined"));
    }

    @Test
    void that_ignore_signals() {
        List<JobId> stubborn = bad(ChildJobs.STUBBORN, new Nothing());
        List<JobId> good = good();
        List<CompletableFuture<Duration>> lives = new ArrayList<>();
        for (JobId id : stubborn) {
            JOBS.await(id, job -> JOBS.log(id).contains("waiting"));
            long pid = JOBS.payloads(id, EventType.PROCESS_START)
                    .get(0)
                    .path("pid")
                    .asLong();
            LONGHAUL.store().jobs().execute(JobCommand.cancel(id, null, null, null));
            long start = System.nanoTime();
            lives.add(CompletableFuture.supplyAsync(() -> untilGone(pid, start)));
        }
        for (JobId id : stubborn) {
            Job job = JOBS.ended(id);
            assertThat(job.state()).isEqualTo(JobState.CANCELLED);
        }
        Duration longest =
                Collections.max(lives.stream().map(CompletableFuture::join).toList());
        System.out.println(stubborn.size() + " that do not listen: all gone " + longest.toMillis()
                + " ms after the cancel at the latest, grace " + GRACE.toMillis() + " ms");
        assertThat(longest).isBetween(GRACE, GRACE.plusSeconds(2));
        succeeded(good);
    }

    private static Duration untilGone(long pid, long start) {
        while (Files.exists(Path.of("/proc", String.valueOf(pid)))) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void that_fork_without_end() {
        try (var confinement = Confinement.best()) {
            assumeThat(confinement.complete())
                    .as("the number of processes can be limited here")
                    .isTrue();
        }
        JsonNode none = Objects.requireNonNull(Json.read("{}", JsonNode.class));
        try (var other =
                Longhaul.builder().memory().register(BOMB).drain(Duration.ZERO).start()) {
            JobId bomb = other.later(BOMB, none);
            succeeded(good());
            var bombs = new Isolated(other);
            assertThat(bombs.ended(bomb).state()).isEqualTo(JobState.FAILED);
            assertThat(bombs.payloads(bomb, EventType.PROCESS_END)).hasSize(1);
        }
    }

    @Test
    void that_print_without_end() {
        JsonNode none = Objects.requireNonNull(Json.read("{}", JsonNode.class));
        JobId flood = LONGHAUL.later(FLOOD, none);
        succeeded(good());
        assertThat(JOBS.ended(flood).state()).isEqualTo(JobState.SUCCEEDED);
        long stored = JOBS.payloads(flood, EventType.OUTPUT).stream()
                .mapToLong(payload -> payload.path("text").asText().length())
                .sum();
        assertThat(stored).isLessThan(11L << 20);
    }
}
