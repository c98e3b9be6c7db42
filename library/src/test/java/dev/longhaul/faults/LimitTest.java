package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.testing.FaultVolume;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A definition's limit holds across all processes, by the record of the code itself, while workers are killed. */
@Tag("faults")
@Tag("full")
@Isolated("short leases; processes start and die all the time")
class LimitTest {
    private static final int JOBS = FaultVolume.of(200, 2000);
    private static final int KILLS = FaultVolume.of(4, 40);
    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Rig rig = new Rig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(900)
    void never_runs_more_at_once_than_its_limit() {
        long seed = FaultVolume.seed();
        var random = new Random(seed);
        var setup = new Setup(rig.url, List.of(rig.tasks.limited), 4, LEASE);
        Intervals record;
        long start = System.nanoTime();
        try (var supervisor = new Supervisor(setup, 4)) {
            for (int i = 0; i < JOBS; i++) {
                rig.later(rig.tasks.limited, Task.of(random.nextInt(40)));
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                long starts = (long) kill * JOBS / (KILLS + 2);
                Rig.await(starts + " starts", PATIENCE, () -> rig.starts() >= starts);
                Rig.await("a kill", PATIENCE, () -> supervisor.killOne(random, rig.journal));
            }
            Rig.await("all jobs have ended", PATIENCE.multipliedBy(5), () -> rig.unended() == 0);
            record = Intervals.of(rig.journal.marks(), supervisor.killed());
        }
        long succeeded = rig.ended("state = 4");
        long quarantined = rig.ended("state = 5 and error_code = 'quarantined' and crashes = 3");
        FaultVolume.tell(
                "limit %d: %d jobs in 4 processes, %d kills, %d runs, most at once %d, quarantined %d, %d s (seed %d)",
                Tasks.LIMIT,
                JOBS,
                KILLS,
                record.all().size(),
                record.mostAtOnce(),
                quarantined,
                Duration.ofNanos(System.nanoTime() - start).toSeconds(),
                seed);
        assertThat(record.mostAtOnce()).isEqualTo(Tasks.LIMIT);
        assertThat(record.ranTwiceAtOnce()).isEmpty();
        assertThat(succeeded + quarantined).isEqualTo(JOBS);
        assertThat(rig.journal.count("select running from longhaul.definition_limit where definition_key = 'limited'"))
                .isZero();
    }
}
