package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.testing.FaultVolume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Jobs that end their whole process are stopped after a few crashes, and no good job fails because of them. */
@Tag("faults")
@Tag("full")
@Isolated("short leases; processes start and die all the time")
class PoisonTest {
    private static final int POISON = FaultVolume.of(3, 50);
    private static final int GOOD = FaultVolume.of(60, 1000);
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = FaultVolume.seconds(150, 1500);

    private final Rig rig = new Rig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(1600)
    void stops_after_its_attempts_and_harms_no_other_job() {
        var kinds = new ArrayList<Boolean>(Collections.nCopies(GOOD, false));
        kinds.addAll(Collections.nCopies(POISON, true));
        Collections.shuffle(kinds, new Random(FaultVolume.seed()));
        kinds.forEach(poison -> rig.later(poison ? rig.tasks.poison : rig.tasks.good, Task.of(20)));
        long start = System.nanoTime();
        var setup = new Setup(rig.url, List.of(rig.tasks.good, rig.tasks.poison), 4, LEASE);
        try (var supervisor = new Supervisor(setup, 3)) {
            Rig.await("all jobs have ended", PATIENCE, () -> rig.unended() == 0);
            FaultVolume.tell(
                    "poison: %d of %d jobs, %d worker deaths, over after %d s; good jobs that went down with a worker"
                            + " once %d, twice %d",
                    POISON,
                    POISON + GOOD,
                    supervisor.died(),
                    Duration.ofNanos(System.nanoTime() - start).toSeconds(),
                    rig.ended("definition_key = 'good' and crashes = 1"),
                    rig.ended("definition_key = 'good' and crashes = 2"));
        }
        assertThat(rig.ended("definition_key = 'good' and state = 4")).isEqualTo(GOOD);
        assertThat(rig.ended("definition_key = 'poison' and state = 5 and error_code = 'quarantined' and crashes = 3"))
                .isEqualTo(POISON);
        assertThat(rig.journal.count("select count(*) from (select from mark m join longhaul.job j on j.id = m.job"
                        + " where j.definition_key = 'poison' group by m.job having count(*) not between 1 and 4) t"))
                // One run more if the first one was claimed ahead and died before its begin was stored.
                .as("poison jobs that ran never or more than 4 times")
                .isZero();
        assertThat(Intervals.of(rig.journal.marks(), Map.of()).ranTwiceAtOnce()).isEmpty();
    }
}
