package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.testing.FaultVolume;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A worker gets SIGTERM while it runs long jobs. */
@Tag("faults")
@Tag("full")
@Execution(ExecutionMode.CONCURRENT) // Each test has a database and workers of its own.
class ShutdownTest {
    private static final int JOBS = 16;
    private static final int DEAF = 4;
    private static final int ENDED_BY_SIGTERM = 128 + 15;
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Duration DRAIN = Duration.ofSeconds(3);

    private final Rig rig = new Rig();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(120)
    void gives_its_jobs_back_unspent_and_ends_in_time() throws Exception {
        Path gate = directory.resolve("gate");
        var setup = new Setup(rig.url, List.of(rig.tasks.held, rig.tasks.deaf), JOBS, LEASE, DRAIN);
        WorkerProcess ending = rig.worker("ending", setup);
        for (int i = 0; i < JOBS; i++) {
            rig.later(i < DEAF ? rig.tasks.deaf : rig.tasks.held, Task.until(gate, 20));
        }
        Rig.await("all jobs run", Duration.ofSeconds(30), () -> rig.starts("ending") == JOBS);
        rig.worker("other", setup).awaitReady();

        long askedAt = System.nanoTime();
        ending.terminate();
        int code = ending.awaitExit(DRAIN.plusSeconds(20));
        Duration took = Duration.ofNanos(System.nanoTime() - askedAt);
        Instant endedAt = rig.journal.now();
        Rig.await("all jobs run elsewhere", Duration.ofSeconds(25), () -> rig.starts("other") == JOBS);
        Instant lastStart = rig.journal.marks("start").get(2 * JOBS - 1).at();
        FaultVolume.tell(
                "shutdown with %d jobs, drain %s: ended after %s with %d, all ran elsewhere %s after its end",
                JOBS, DRAIN, took, code, Duration.between(endedAt, lastStart));

        assertThat(took).isLessThanOrEqualTo(DRAIN.plusSeconds(5));
        assertThat(Duration.between(endedAt, lastStart)).isLessThanOrEqualTo(Duration.ofSeconds(5));
        assertThat(rig.journal.marks("start")).extracting(Journal.Mark::what).containsOnly("start 1");
        assertThat(Intervals.of(rig.journal.marks(), Map.of()).ranTwiceAtOnce()).isEmpty();
        Rig.open(gate);
        Rig.await("all jobs have ended", Duration.ofSeconds(20), () -> rig.unended() == 0);
        assertThat(rig.ended("state = 4 and run = 2 and attempts = 1 and crashes = 0"))
                .isEqualTo(JOBS);
    }

    @Test
    @Timeout(120)
    void exits_immediately_on_a_second_signal() throws Exception {
        var setup = new Setup(rig.url, List.of(rig.tasks.held), 1, LEASE, Duration.ofMinutes(1));
        WorkerProcess ending = rig.worker("ending", setup);
        rig.later(rig.tasks.held, Task.until(directory.resolve("gate")));
        Rig.await("the job runs", Duration.ofSeconds(30), () -> rig.starts() == 1);
        ending.terminate();
        Rig.await(
                "it drains",
                Duration.ofSeconds(10),
                () -> rig.journal.marks("draining").size() == 1);
        assertThat(ending.alive()).isTrue();
        long askedAt = System.nanoTime();
        ending.terminate();
        assertThat(ending.awaitExit(Duration.ofSeconds(10))).isEqualTo(ENDED_BY_SIGTERM);
        Duration took = Duration.ofNanos(System.nanoTime() - askedAt);
        FaultVolume.tell("second SIGTERM: ended after %s", took);
        assertThat(took).isLessThan(Duration.ofSeconds(2));
    }
}
