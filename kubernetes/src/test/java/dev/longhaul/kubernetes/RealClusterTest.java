package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests that a real cluster can show: the outcome table, and a takeover with all lines of the log. */
@Tag("full")
@Tag("kubernetes")
class RealClusterTest {
    @Nested
    class Outcomes extends OutcomeTable {
        @Override
        TestCluster cluster() {
            return RealCluster.open();
        }
    }

    @Nested
    class Takeover {
        @TempDir
        Path directory;

        @Test
        void continues_the_run_after_the_last_line() {
            try (var bench = new PodBench(directory, RealCluster.open())) {
                Longhaul first = bench.worker(PodBench.SHELL);
                JobId id = bench.enqueue(
                        first,
                        "shell",
                        "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo line $i; sleep 0.1; done; echo last");
                PodBench.await("output", () -> bench.output(id).contains("line 30\n"));
                first.close();
                assertThat(bench.job(id).status()).isEqualTo(JobStatus.RUNNING);
                bench.worker(PodBench.SHELL);
                Job job = bench.ended(id);
                assertThat(job.status())
                        .as("%s", bench.store.jobs().events(EventQuery.of(id)))
                        .isEqualTo(JobStatus.SUCCEEDED);
                assertThat(job.tally().run()).isEqualTo(1);
                assertThat(bench.events(id, EventType.PROCESS_START)).hasSize(2);
                List<String> expected =
                        IntStream.rangeClosed(1, 200).mapToObj(i -> "line " + i).collect(Collectors.toList());
                expected.add("last");
                assertThat(bench.output(id).lines().toList()).isEqualTo(expected);
            }
        }
    }
}
