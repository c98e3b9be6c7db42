package dev.longhaul.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.json.LiveSecrets;
import dev.longhaul.json.Secret;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DrainTest {
    record Login(@Secret String password) {}

    private final Workbench bench = new Workbench();
    private final Completions completions =
            new Completions(bench.store, bench.live, bench.reports, (run, transition) -> {});
    private final Drain drain = new Drain(bench.live, completions, run -> false);

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
    void code_that_does_not_end_is_notified_then_interrupted_then_its_job_given_back() throws Exception {
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
    void a_run_whose_code_has_ended_is_awaited_until_its_end_is_on_its_way() throws Exception {
        LiveRun run = bench.claimed();
        run.begin(new Thread("job"));
        run.end();
        var draining = CompletableFuture.runAsync(() -> drain.run(Duration.ofMinutes(1)));
        assertThatThrownBy(() -> draining.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        completions.add(run, Transition.succeed(run.claim(), "{}"));
        Workbench.soon(draining);
        completions.close();
        assertThat(bench.job(run).status()).isEqualTo(JobStatus.SUCCEEDED);
    }

    @Test
    void code_that_continues_is_settled_once_and_its_secrets_stay_hidden_until_it_ends() throws Exception {
        var settled = new ConcurrentLinkedQueue<Verdict>();
        var codeMayEnd = new CountDownLatch(1);
        var stubborn = JobDefinition.of("login", Login.class, Login.class).handler((login, context) -> {
            awaitUninterruptibly(codeMayEnd);
            return login;
        });
        var spec =
                JobSpec.of(stubborn.ref(), "{\"password\":\"hunter2-drained\"}").build();
        LiveRun run = bench.claimed(List.of(spec), stubborn, (claimed, claiming) -> counting(settled))
                .get(0);
        var hooks = new HookRunner(bench.store, new Registry());
        var runner = new JobRunner(
                Map.of(Isolation.THREAD, new ThreadExecutor()),
                new Begins(bench.store, bench.live),
                hooks,
                completions,
                new Notices(bench.store),
                false);
        var thread = new Thread(() -> runner.run(run));
        thread.start();
        Workbench.await("the code runs", run::running);
        drain.run(Duration.ZERO);
        assertThat(Workbench.soon(run.settled()).won()).isTrue();
        assertThat(LiveSecrets.hide("it is hunter2-drained")).isEqualTo("it is ***");

        codeMayEnd.countDown();
        thread.join(Duration.ofSeconds(Workbench.PATIENCE_SECONDS).toMillis());
        completions.close();
        hooks.close();
        assertThat(settled).singleElement().matches(Verdict::won);
        assertThat(bench.faults.calls("apply")).isEqualTo(1);
        assertThat(bench.job(run).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(LiveSecrets.hide("it is hunter2-drained")).isEqualTo("it is hunter2-drained");
    }

    private static RunTracing.RunTrace counting(Collection<Verdict> settled) {
        return new RunTracing.RunTrace() {
            @Override
            public @Nullable String traceparent() {
                return null;
            }

            @Override
            public Outcome execute(Supplier<Outcome> code) {
                return code.get();
            }

            @Override
            public void settled(Verdict verdict) {
                settled.add(verdict);
            }
        };
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // Ignores the interrupt.
            }
        }
    }

    @Test
    void code_that_outlives_the_worker_is_left_with_its_claim() throws Exception {
        var leaving = new Drain(bench.live, completions, LiveRun::running);
        LiveRun run = bench.claimed();
        run.begin(Thread.currentThread());
        LiveRun waiting = bench.claimed();
        leaving.run(Duration.ZERO);
        assertThat(Thread.interrupted()).as("interrupted").isFalse();
        assertThat(run.stop()).isNull();
        assertThat(Workbench.soon(run.settled()).won()).isFalse();
        assertThat(Workbench.soon(waiting.settled()).won()).isTrue();
        assertThat(bench.job(run).status()).isEqualTo(JobStatus.RUNNING);
        assertThat(bench.job(run).tally().attempts()).isEqualTo(1);
        assertThat(bench.source.claimed(run.claim().key())).hasSize(1);
        assertThat(bench.job(waiting).status()).isEqualTo(JobStatus.QUEUED);
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

    @Test
    void the_log_counts_cancelled_jobs_apart_from_those_to_give_back() {
        var log = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger(Drain.class);
        List<LiveRun> runs = bench.claimed(3);
        runs.forEach(run -> run.begin(new Thread("job")));
        runs.get(1).cancel(new CancelRequest(Instant.EPOCH, "not needed", null));
        runs.get(2).stop(LiveRun.Stop.TIMEOUT);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
        log.start();
        try {
            drain.run(Duration.ZERO);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(before);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("drain timeout: interrupting 3 running jobs"
                        + " (1 to give back, 1 cancelled before, 1 timed out before); leaving 0 whose code continues");
    }
}
