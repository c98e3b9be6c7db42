package dev.longhaul.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Transition;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainTest {
    private final Workbench bench = new Workbench();
    private final Completions completions =
            new Completions(bench.store, bench.live, bench.reports, (run, transition) -> {});
    private final Drain drain = new Drain(bench.live, completions);

    @BeforeEach
    void start() {
        completions.start();
    }

    @AfterEach
    void close() {
        completions.close();
    }

    @Test
    void runs_that_have_not_begun_are_given_back_with_their_attempts_unspent() throws Exception {
        LiveRun run = bench.claimed();
        assertThat(bench.job(run).tally().attempts()).isEqualTo(1);
        drain.run(Duration.ZERO);
        assertThat(Workbench.soon(run.settled()).won()).isTrue();
        assertThat(bench.job(run).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(bench.job(run).tally().attempts()).isZero();
    }

    @Test
    void code_that_does_not_end_is_told_then_interrupted_then_its_job_given_back() throws Exception {
        LiveRun run = bench.claimed();
        run.begin(Thread.currentThread());
        drain.run(Duration.ZERO);
        assertThat(run.stop()).isEqualTo(LiveRun.Stop.RELEASE);
        assertThat(Thread.interrupted()).as("interrupted").isTrue();
        assertThat(Workbench.soon(run.settled()).won()).isTrue();
        assertThat(bench.job(run).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(bench.job(run).tally().attempts()).isZero();
    }

    @Test
    void runs_that_end_in_time_keep_their_end() throws Exception {
        LiveRun run = bench.claimed();
        run.begin(Thread.currentThread());
        var draining = new Thread(() -> drain.run(Duration.ofMinutes(1)));
        draining.start();
        run.end();
        completions.add(run, Transition.succeed(run.claim(), "{}"));
        draining.join(Duration.ofSeconds(Workbench.PATIENCE_SECONDS).toMillis());
        assertThat(draining.isAlive()).isFalse();
        assertThat(Workbench.soon(run.settled()).won()).isTrue();
        assertThat(run.stop()).isNull();
        assertThat(bench.job(run).status()).isEqualTo(JobStatus.SUCCEEDED);
    }
}
