package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.NewSchedule;
import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.schedule.Timing;
import dev.longhaul.testing.FaultVolume;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leaders are killed and stopped while schedules fire every second: each second fires once, and none is skipped. */
@Tag("faults")
@Tag("full")
class KilledLeaderTest {
    private static final int SCHEDULES = 50;
    private static final Duration TAKE_OVER = Duration.ofSeconds(10);

    private final Rig rig = new Rig();
    /** No worker serves its queue, so that the jobs stay where they can be counted. */
    private final Setup setup = new Setup(rig.url, List.of(rig.tasks.good), 1, Duration.ofSeconds(15));

    private final Map<String, WorkerProcess> processes = new HashMap<>();
    private int started;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(900)
    void schedules_fire_each_second_once_whichever_process_leads() {
        int kills = FaultVolume.of(2, 20);
        int stops = FaultVolume.of(1, 10);
        startOne().awaitReady();
        startOne().awaitReady();
        for (int i = 0; i < SCHEDULES; i++) {
            rig.longhaul
                    .schedules()
                    .create(
                            NewSchedule.of("each-second-" + i, Timing.cron("* * * * * *"))
                                    .queue("nowhere"),
                            rig.tasks.good,
                            Task.of(0));
        }
        for (int i = 0; i < kills; i++) {
            awaitFires();
            WorkerProcess leader = leader();
            leader.kill();
            processes.remove(leader.id());
            startOne().awaitReady();
        }
        for (int i = 0; i < stops; i++) {
            awaitFires();
            WorkerProcess leader = leader();
            leader.freeze();
            Rig.await(
                    "another process leads",
                    Duration.ofSeconds(30),
                    () -> !rig.awaitLeader().equals(leader.id()));
            awaitFires();
            leader.thaw();
        }
        awaitFires();
        processes.values().forEach(WorkerProcess::kill);
        judge(kills, stops);
    }

    private void judge(int kills, int stops) {
        long fires = rig.journal.count("select count(*) from longhaul.schedule_fire");
        long seconds = rig.journal.count("select sum(extract(epoch from last - first) + 1)::bigint from (select"
                + " min(fire_at) as first, max(fire_at) as last from longhaul.schedule_fire group by schedule_key) s");
        long jobs = rig.journal.count("select count(*) from longhaul.live_job where schedule_key is not null");
        long different = rig.journal.count("select count(*) from (select distinct schedule_key, fire_at from"
                + " longhaul.live_job where schedule_key is not null) j");
        long latest = rig.journal.count(
                "select (max(extract(epoch from fired_at - fire_at)) * 1000)::bigint" + " from longhaul.schedule_fire");
        FaultVolume.tell(
                "leader killed %d times and stopped %d times under %d schedules of a second: %d fires, %d double, %d missed;"
                        + " the latest came %d ms late",
                kills, stops, SCHEDULES, fires, jobs - different, seconds - fires, latest);
        assertThat(jobs).as("a job for each fire").isEqualTo(fires);
        assertThat(different).as("no fire time twice").isEqualTo(jobs);
        assertThat(fires).as("no second left out").isEqualTo(seconds);
        assertThat(latest).as("milliseconds").isLessThan(TAKE_OVER.toMillis());
    }

    private WorkerProcess startOne() {
        var process = rig.worker("leader-" + ++started, setup);
        processes.put(process.id(), process);
        return process;
    }

    private WorkerProcess leader() {
        return Objects.requireNonNull(processes.get(rig.awaitLeader()));
    }

    /** Waits until all schedules have fired for two more seconds. */
    private void awaitFires() {
        long before = rig.journal.count("select count(*) from longhaul.schedule_fire");
        Rig.await(
                "schedules fire",
                Duration.ofSeconds(30),
                () -> rig.journal.count("select count(*) from longhaul.schedule_fire") >= before + 2L * SCHEDULES);
    }
}
