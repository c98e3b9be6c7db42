package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.testing.FaultVolume;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Another session locks the row of one running job for several leases: neither that job nor other jobs are affected.
 */
@Tag("faults")
@Tag("full")
@Execution(ExecutionMode.CONCURRENT) // It has a database and a worker of its own.
class LockedRowTest {
    private static final int JOBS = 6;
    private static final Duration LEASE = FaultVolume.seconds(2, 15);
    private static final Duration LOCKED = FaultVolume.seconds(7, 90);

    private final Rig rig = new Rig();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @Timeout(180)
    void costs_no_job_its_run() throws Exception {
        Path gate = directory.resolve("gate");
        var ids = new ArrayList<JobId>();
        for (int i = 0; i < JOBS; i++) {
            ids.add(rig.later(rig.tasks.held, Task.until(gate)));
        }
        rig.worker("one", new Setup(rig.url, List.of(rig.tasks.held), JOBS, LEASE))
                .awaitReady();
        Rig.await("all jobs run", Duration.ofSeconds(30), () -> rig.starts() == JOBS);

        try (Connection other = DriverManager.getConnection(rig.url);
                PreparedStatement lock =
                        other.prepareStatement("select from longhaul.live_job where id = ? for update")) {
            other.setAutoCommit(false);
            lock.setObject(1, ids.get(2).value());
            lock.execute();
            long until = System.nanoTime() + LOCKED.toNanos();
            Rig.await("the lock has outlived several leases", LOCKED.plusSeconds(1), () -> System.nanoTime() > until);
            other.rollback();
        }
        Rig.open(gate);
        Rig.await("all jobs have ended", Duration.ofSeconds(30), () -> rig.unended() == 0);

        for (JobId id : ids) {
            Job job = rig.longhaul.find(id).orElseThrow();
            assertThat(job.status().wireName()).isEqualTo("succeeded");
            assertThat(job.tally().run()).isEqualTo(1);
        }
    }
}
