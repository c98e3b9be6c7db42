package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.faults.Journal.Mark;
import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.testing.FaultVolume;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A worker dies in mid-job: the other worker starts its jobs again and continues after the finished steps. */
@Tag("faults")
@Execution(ExecutionMode.CONCURRENT) // Each test has a database and workers of its own.
class KilledWorkerTest {
    private static final int SLOTS = 4;
    private static final Duration LEASE = FaultVolume.seconds(3, 15);
    private static final Duration LATEST = LEASE.plusSeconds(5);

    private final Rig rig = new Rig();
    private final Setup setup = new Setup(rig.url, List.of(rig.tasks.steps), SLOTS, LEASE);
    private final Map<JobId, Path> gates = new HashMap<>();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(120)
    void its_jobs_continue_under_the_same_leader() {
        killsOneOfTwo(false);
    }

    @Test
    @Tag("full")
    @Timeout(120)
    void its_jobs_continue_when_it_was_the_leader() {
        killsOneOfTwo(true);
    }

    private void killsOneOfTwo(boolean leader) {
        WorkerProcess one = rig.worker("one", setup);
        WorkerProcess two = rig.worker("two", setup);
        one.awaitReady();
        two.awaitReady();
        boolean oneDies = rig.awaitLeader().equals("one") == leader;
        WorkerProcess victim = oneDies ? one : two;
        WorkerProcess heir = oneDies ? two : one;
        List<JobId> orphans = inTheMiddle(victim.id());

        Instant killedAt = rig.journal.now();
        victim.kill();
        Rig.await(
                "the jobs run again",
                LATEST.plusSeconds(20),
                () -> again(orphans).size() == SLOTS);
        List<Duration> delays = again(orphans).stream()
                .map(mark -> Duration.between(killedAt, mark.at()))
                .toList();
        Rig.await("all jobs have ended", Duration.ofSeconds(20), () -> rig.unended() == 0);

        assertThat(delays).allMatch(delay -> delay.compareTo(LATEST) <= 0);
        assertThat(again(orphans)).allMatch(mark -> mark.worker().equals(heir.id()));
        for (JobId orphan : orphans) {
            Job job = rig.longhaul.find(orphan).orElseThrow();
            assertThat(job.status().wireName()).isEqualTo("succeeded");
            assertThat(job.tally().attempts()).isEqualTo(2);
            // At most suspected; a job that had run for a while is not.
            assertThat(job.tally().crashes()).isLessThanOrEqualTo(1);
        }
        for (JobId job : gates.keySet()) {
            assertThat(stepsOf(job)).containsExactly("step one", "step two", "step three");
        }
        Intervals record = Intervals.of(rig.journal.marks(), Map.of(victim.id(), killedAt));
        assertThat(record.all()).hasSize(gates.size() + SLOTS);
        assertThat(record.ranTwiceAtOnce()).isEmpty();
        FaultVolume.tell(
                "killed worker%s: lease %s, its %d jobs ran again %s after the kill, no step twice",
                leader ? " that led" : "", LEASE, SLOTS, delays);
    }

    /** Lets both workers fill their slots, then lets the other worker's jobs end; returns the victim's jobs. */
    private List<JobId> inTheMiddle(String victim) {
        for (int i = 0; i < 2 * SLOTS; i++) {
            Path gate = directory.resolve("gate-" + i);
            gates.put(rig.later(rig.tasks.steps, Task.until(gate)), gate);
        }
        Rig.await(
                "all jobs are in the middle",
                Duration.ofSeconds(30),
                () -> rig.journal.marks("middle").size() == 2 * SLOTS);
        List<JobId> orphans = rig.journal.marks("middle").stream()
                .filter(mark -> mark.worker().equals(victim))
                .map(Mark::job)
                .toList();
        gates.forEach((job, gate) -> {
            if (!orphans.contains(job)) {
                Rig.open(gate);
            }
        });
        Rig.await("the other jobs have ended", Duration.ofSeconds(10), () -> rig.unended() == SLOTS);
        return orphans;
    }

    private List<Mark> again(List<JobId> orphans) {
        return rig.journal.marks("start").stream()
                .filter(mark -> mark.run() == 2 && orphans.contains(mark.job()))
                .toList();
    }

    private List<String> stepsOf(JobId job) {
        return rig.journal.marks("step").stream()
                .filter(mark -> job.equals(mark.job()))
                .map(Mark::what)
                .toList();
    }
}
