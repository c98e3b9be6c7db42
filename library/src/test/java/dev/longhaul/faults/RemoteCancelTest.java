package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.faults.Journal.Mark;
import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
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
import org.junit.jupiter.api.parallel.Isolated;

/** Running code is notified of a cancel from another process. */
@Tag("faults")
@Tag("full")
@Isolated("measures durations")
class RemoteCancelTest {
    private static final int JOBS = FaultVolume.of(30, 200);
    private static final int SLOTS = 10;
    private static final Duration LATEST = Duration.ofSeconds(1);

    private final Rig rig = new Rig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(120)
    void the_code_is_notified_within_a_second(@TempDir Path directory) {
        // A long lease, so that no worker learns of a cancel from a renewal.
        rig.worker("other", new Setup(rig.url, List.of(rig.tasks.held), SLOTS, Duration.ofMinutes(2)));
        for (int i = 0; i < JOBS; i++) {
            rig.later(rig.tasks.held, Task.until(directory.resolve("gate")));
        }
        var asked = new HashMap<JobId, Instant>();
        Rig.await("all are cancelled", Duration.ofSeconds(100), () -> {
            cancelWhatRuns(asked);
            return rig.unended() == 0;
        });
        List<Duration> delays = rig.journal.marks("notified").stream()
                .map(mark -> Duration.between(asked.get(mark.job()), notifiedAt(mark)))
                .sorted()
                .toList();
        assertThat(delays).hasSize(JOBS);
        assertThat(rig.ended("state = 6 and run = 1")).isEqualTo(JOBS);
        Duration p99 = delays.get((int) Math.ceil(0.99 * JOBS) - 1);
        FaultVolume.tell(
                "%d cancels from another process: code notified after p50 %s, p99 %s, at most %s",
                JOBS, delays.get(JOBS / 2), p99, delays.get(JOBS - 1));
        assertThat(p99).isLessThanOrEqualTo(LATEST);
    }

    private void cancelWhatRuns(Map<JobId, Instant> asked) {
        for (Mark mark : rig.journal.marks("start")) {
            JobId job = mark.job();
            if (!asked.containsKey(job)) {
                asked.put(job, Instant.now());
                rig.longhaul.cancel(job);
            }
        }
    }

    private static Instant notifiedAt(Mark mark) {
        return Instant.parse(mark.what().substring("notified ".length()));
    }
}
