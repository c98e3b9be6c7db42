package dev.longhaul.faults;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The database is unavailable for longer than a lease: running jobs stay with their owners, even with an owner that
 * reconnects later than the leader, and all other work resumes.
 */
@Tag("faults")
@Tag("full")
@Isolated("measures durations")
class OutageTest {
    private static final int JOBS = 50;
    private static final int LATECOMERS = 10;
    private static final Duration LEASE = FaultVolume.seconds(4, 15);
    private static final Duration OUTAGE = FaultVolume.seconds(8, 120);
    private static final Duration RESUME = Duration.ofSeconds(5);
    /** No busy waiting: during the outage a process uses at most this part of one processor's time. */
    private static final double MOST_CPU = 0.15;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final EmbeddedPostgres server = TestPostgres.start();
    private final Rig rig = new Rig(TestPostgres.on(server));
    private final WorkerProcess leader = rig.worker("leader", new Setup(rig.url, List.of(rig.tasks.good), 4, LEASE));

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        rig.close();
        server.close();
    }

    @Test
    @Timeout(300)
    void takes_no_job_from_its_owner_and_work_resumes_by_itself() throws Exception {
        assertThat(rig.awaitLeader()).isEqualTo("leader");
        var known = List.of(rig.tasks.held, rig.tasks.busy);
        WorkerProcess owner = rig.worker("owner", new Setup(rig.url, known, JOBS, LEASE));
        WorkerProcess late = rig.worker("late", new Setup(rig.url, List.of(rig.tasks.deaf), JOBS, LEASE));
        Path gate = directory.resolve("gate");
        for (int i = 0; i < JOBS; i++) {
            rig.later(i < LATECOMERS ? rig.tasks.deaf : rig.tasks.held, Task.until(gate, 100));
        }
        Rig.await("all jobs run", PATIENCE, () -> rig.starts() == JOBS);
        // Due while the database is unavailable, one for each of two processes.
        rig.longhaul.later(rig.tasks.good, Task.of(1), options().delay(OUTAGE.minusSeconds(2)));
        rig.longhaul.later(rig.tasks.busy, Task.of(1), options().delay(OUTAGE.minusSeconds(2)));

        Duration cpuBefore = leader.cpu().plus(owner.cpu());
        server.stopServer();
        Thread.sleep(OUTAGE.toMillis());
        Duration cpu = leader.cpu().plus(owner.cpu()).minus(cpuBefore);
        late.freeze();
        server.startServer();
        Instant back = Instant.now();
        // The reaper, which runs with the leader, has checked by then.
        awaitSteady(LEASE.dividedBy(2));
        late.thaw();

        Rig.await("both processes claim again", PATIENCE, () -> rig.starts() == JOBS + 2);
        List<Duration> resumed = rig.journal.marks("start").stream()
                .skip(JOBS)
                .map(mark -> Duration.between(back, mark.at()))
                .toList();
        awaitSteady(LEASE.plusSeconds(2));
        FaultVolume.tell(
                "outage of %s, lease %s: claims resumed after %s, two processes took %s of processor time meanwhile",
                OUTAGE, LEASE, resumed, cpu);
        assertThat(rig.journal.count("select count(*) from longhaul.live_job where state = 2 and run = 1"))
                .isEqualTo(JOBS);
        Rig.open(gate);
        Rig.await("all jobs have ended", PATIENCE, () -> rig.unended() == 0);

        assertThat(resumed).allMatch(delay -> delay.compareTo(RESUME) <= 0);
        assertThat(List.of(leader, owner, late)).allMatch(WorkerProcess::alive);
        assertThat(rig.ended("state = 4 and run = 1 and attempts = 1 and crashes = 0"))
                .isEqualTo(JOBS + 2);
        assertThat(rig.starts()).isEqualTo(JOBS + 2);
        assertThat(cpu.toMillis()).isLessThan(Math.round(2 * MOST_CPU * OUTAGE.toMillis()));
    }

    /** Waits until the leader has had an available database for that long. */
    private void awaitSteady(Duration time) {
        Rig.await(
                "the leader has led for " + time,
                time.plus(PATIENCE),
                () -> rig.journal.count(
                                "select count(*) from longhaul.leader where looked_at - steady_since > ?::interval"
                                        + " and looked_at > clock_timestamp() - interval '5 seconds'",
                                time.toString())
                        == 1);
    }
}
