package dev.longhaul.faults;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.faults.Journal.Mark;
import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.testing.FaultVolume;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Code that uses all processors, or ignores interrupts, loses no lease and never runs twice at once. */
@Tag("faults")
@Tag("full")
@Isolated("takes all processors")
class MisbehavingCodeTest {
    private static final Duration LEASE = FaultVolume.seconds(2, 15);
    /**
     * Much shorter than the time after which code counts as stuck, so that the lease of stuck code has been renewed.
     */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

    private static final Duration STUCK_AFTER = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Rig rig = new Rig();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(180)
    void slots_full_of_busy_loops_lose_no_lease() {
        int slots = 4 * Runtime.getRuntime().availableProcessors();
        rig.start(rig.builder().slots(slots).lease(LEASE));
        for (int i = 0; i < slots; i++) {
            rig.later(rig.tasks.busy, Task.of((int) LEASE.multipliedBy(3).toMillis()));
        }
        Rig.await("all jobs have ended", LEASE.multipliedBy(3).plus(PATIENCE), () -> rig.unended() == 0);
        assertThat(rig.ended("state = 4 and run = 1 and crashes = 0")).isEqualTo(slots);
        assertThat(rig.starts()).isEqualTo(slots);
        FaultVolume.tell(
                "%d busy loops on %d processors for 3 leases of %s: no lease lost",
                slots, Runtime.getRuntime().availableProcessors(), LEASE);
    }

    @Test
    @Timeout(180)
    void code_that_ignores_everything_loses_a_cancelled_job_and_keeps_one_with_attempts_left() {
        Path gate = directory.resolve("gate");
        Longhaul longhaul = rig.start(rig.builder().slots(4).lease(SHORT_LEASE).cancelGrace(Duration.ofMillis(100)));
        JobId cancelled = longhaul.later(rig.tasks.deaf, Task.until(gate));
        JobId late = longhaul.later(
                rig.tasks.deaf,
                Task.until(gate),
                options().timeout(Duration.ofSeconds(1)).maxAttempts(2));
        Rig.await("both run", PATIENCE, () -> rig.starts() == 2);
        longhaul.cancel(cancelled);
        Rig.await(
                "both are stuck",
                STUCK_AFTER.plus(PATIENCE),
                () -> stuck(longhaul, cancelled) && stuck(longhaul, late));
        assertThat(longhaul.health().healthy()).isFalse();
        assertThat(rig.starts()).isEqualTo(2);
        assertThat(rig.journal.count("select count(*) from longhaul.live_job where state >= 2 and run = 1"
                        + " and crashes = 0 and lease_until > clock_timestamp()"))
                .isEqualTo(1);
        assertThat(longhaul.find(cancelled).orElseThrow().state()).isEqualTo(JobState.CANCELLED);

        Rig.open(gate);
        Rig.await("both have ended", PATIENCE, () -> rig.unended() == 0);
        assertThat(longhaul.find(cancelled).orElseThrow().tally().run()).isEqualTo(1);
        assertThat(longhaul.store().jobs().runs(late))
                .extracting(Run::status)
                .containsExactly(RunStatus.FAILED, RunStatus.SUCCEEDED);
        assertThat(Intervals.of(rig.journal.marks(), Map.of()).ranTwiceAtOnce()).isEmpty();
        assertThat(longhaul.health().healthy()).isTrue();
    }

    private static boolean stuck(Longhaul longhaul, JobId id) {
        return longhaul.store().jobs().events(EventQuery.of(id)).stream()
                .anyMatch(event -> event.type() == EventType.CUSTOM
                        && String.valueOf(event.payload()).contains("\"stuck\""));
    }

    @Test
    @Timeout(120)
    void a_lost_lease_stops_the_code() {
        Longhaul longhaul = worker(1);
        JobId id = longhaul.later(rig.tasks.held, Task.until(directory.resolve("gate")));
        Rig.await("it runs", PATIENCE, () -> rig.starts() == 1);
        new Thief(rig).steal(id);
        Rig.await("the code is notified", PATIENCE, () -> marks(id, 1, "notified") == 1 || marks(id, 1, "end") == 1);
        Rig.await("it runs again", PATIENCE, () -> marks(id, 2, "start") == 1);
        Rig.open(directory.resolve("gate"));
        Rig.await("it has ended", PATIENCE, () -> rig.unended() == 0);
        assertThat(longhaul.store().jobs().runs(id))
                .extracting(Run::status)
                .containsExactly(RunStatus.LOST, RunStatus.SUCCEEDED);
        assertThat(Intervals.of(rig.journal.marks(), Map.of()).ranTwiceAtOnce()).isEmpty();
    }

    @Test
    @Timeout(120)
    void reports_after_a_lost_lease_are_not_stored_and_the_job_runs_once_at_a_time() {
        Path gate = directory.resolve("gate");
        Longhaul longhaul = worker(4);
        JobId id = longhaul.later(rig.tasks.insisting, Task.until(gate));
        Rig.await("it runs", PATIENCE, () -> rig.starts() == 1);
        new Thief(rig).steal(id);
        Rig.await(
                "the job is claimed again",
                PATIENCE,
                () -> rig.journal.count("select count(*) from longhaul.live_job where state = 2 and run = 2") == 1);
        // Wait for another job to run, so that the second run has had time to start.
        JobId other = longhaul.later(rig.tasks.good, Task.of(1));
        Rig.await(
                "the other has ended",
                PATIENCE,
                () -> longhaul.find(other).orElseThrow().state().terminal());
        assertThat(marks(id, 2, "start")).isZero();

        Rig.open(gate);
        Rig.await("it has ended", PATIENCE, () -> rig.unended() == 0);
        assertThat(marks(id, 1, "stored"))
                .as("steps of the lost run that were stored")
                .isZero();
        assertThat(longhaul.store().work().steps(id))
                .extracting(step -> step.result())
                .containsExactly("2");
        assertThat(longhaul.store().jobs().events(EventQuery.of(id)))
                .filteredOn(event -> event.run() == 1)
                .extracting(event -> event.type())
                .containsExactly(EventType.STARTED, EventType.LOST);
        assertThat(longhaul.find(id).orElseThrow().result()).isEqualTo("{\"run\":2}");
        assertThat(Intervals.of(rig.journal.marks(), Map.of()).ranTwiceAtOnce()).isEmpty();
    }

    /** Never becomes the leader: only the thief ends runs. */
    private Longhaul worker(int slots) {
        return rig.start(rig.builder().slots(slots).lease(SHORT_LEASE).noMaintenance());
    }

    private long marks(JobId id, int run, String prefix) {
        List<Mark> marks = rig.journal.marks(prefix);
        return marks.stream()
                .filter(mark -> id.equals(mark.job()) && mark.run() == run)
                .count();
    }
}
