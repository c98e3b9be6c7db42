package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.faults.Tasks.Done;
import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.testing.FaultVolume;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A worker is killed after it has claimed many more jobs than it has slots: jobs that had not begun lose nothing. */
@Tag("faults")
@Tag("full")
@Isolated("short leases; processes start and die all the time")
class KilledRunAheadTest {
    private static final int KILLS = FaultVolume.of(2, 20);
    private static final int SLOTS = 16;
    private static final int JOBS_PER_KILL = FaultVolume.of(600, 1500);
    /** Jobs that return at once: after them, a worker expects short jobs and claims more than it has slots. */
    private static final int QUICK = FaultVolume.of(1000, 3000);
    /** Least number of jobs that are claimed and not begun at each kill: more than may lose an attempt. */
    private static final int AHEAD = 2 * SLOTS + 1;

    private static final Duration LEASE = FaultVolume.seconds(1, 3);

    private final Rig rig = new Rig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(1800)
    void jobs_with_one_attempt_run_exactly_once_unless_they_had_begun() {
        Set<UUID> begun = new HashSet<>();
        int ahead = killRepeatedly(rig.tasks.once, begun);

        long failed = rig.ended("state = 5");
        assertThat(rig.ended("definition_key = 'once' and state = 4") + failed).isEqualTo((long) KILLS * JOBS_PER_KILL);
        assertThat(ids("select id from longhaul.finished_job where state = 5"))
                .as("failed jobs had begun when their worker was killed")
                .isSubsetOf(begun);
        assertThat(rig.journal.count("select count(*) from (select from mark where starts_with(what, 'start')"
                        + " group by job having count(*) > 1) twice"))
                .as("jobs that ran twice")
                .isZero();
        assertThat(rig.journal.count("select count(*) from longhaul.finished_job f where f.definition_key = 'once'"
                        + " and f.state = 4 and not exists"
                        + " (select from mark m where m.job = f.id)"))
                .as("jobs that succeeded without having run")
                .isZero();
        FaultVolume.tell(
                "killed run-ahead, one attempt: %d kills, %d jobs, %d claimed and not begun at the kills, %d had begun"
                        + " and failed",
                KILLS, KILLS * JOBS_PER_KILL, ahead, failed);
    }

    @Test
    @Timeout(1800)
    void jobs_with_more_attempts_are_charged_for_no_more_than_the_slots() {
        int ahead = killRepeatedly(rig.tasks.good, new HashSet<>());

        assertThat(rig.ended("definition_key = 'good' and state = 4")).isEqualTo((long) KILLS * JOBS_PER_KILL);
        long charged = rig.journal.count("select count(*) from longhaul.job_run where status = 6");
        assertThat(charged).isLessThanOrEqualTo((long) KILLS * 2 * SLOTS);
        FaultVolume.tell(
                "killed run-ahead: %d kills, %d jobs, %d claimed and not begun at the kills, %d charged",
                KILLS, KILLS * JOBS_PER_KILL, ahead, charged);
    }

    /** Kills one worker after the other in mid-work; returns how many jobs they had claimed and not begun. */
    private int killRepeatedly(JobDefinition<Task, Done> definition, Set<UUID> begun) {
        var setup = new Setup(rig.url, List.of(rig.tasks.quick, definition), SLOTS, LEASE);
        String key = definition.ref().key();
        int ahead = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            var first = JobOptions.options().priority(1);
            rig.longhaul.laterAll(rig.tasks.quick, Collections.nCopies(QUICK, Task.of(0)), first);
            rig.longhaul.laterAll(definition, Collections.nCopies(JOBS_PER_KILL, Task.of(1)), JobOptions.options());
            WorkerProcess worker = rig.worker("victim-" + kill, setup).awaitReady();
            Rig.await("it is in mid-work", Duration.ofSeconds(60), () -> claimedAhead(worker, key) >= AHEAD);
            worker.kill();
            begun.addAll(ids("select id from longhaul.live_job where state = 2 and begun"));
            ahead += (int) claimedAhead(worker, key);
        }
        rig.worker("heir", setup).awaitReady();
        Rig.await("all jobs have ended", Duration.ofMinutes(10), () -> rig.unended() == 0);
        return ahead;
    }

    private List<UUID> ids(String select) {
        return rig.journal.query(select, row -> row.getObject(1, UUID.class));
    }

    /** How many jobs of that definition the worker has claimed and not begun. */
    private long claimedAhead(WorkerProcess worker, String key) {
        return rig.journal.count(
                "select count(*) from longhaul.live_job where state = 2 and not begun and worker_id = ?"
                        + " and definition_key = ?",
                worker.id(),
                key);
    }
}
