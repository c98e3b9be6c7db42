package dev.longhaul.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.engine.Begins;
import dev.longhaul.engine.Completions;
import dev.longhaul.engine.HookRunner;
import dev.longhaul.engine.JobRunner;
import dev.longhaul.engine.Notices;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.job.RunAt;
import dev.longhaul.json.Secret;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailureLogTest {
    record Login(@Secret String password) {}

    private static final JobDefinition<Login, Void> LOGIN = JobDefinition.of("login", Login.class, Void.class)
            .retry(RetryPolicy.of(new Backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1))))
            .handler((login, context) -> {
                throw new IllegalStateException("wrong: " + login.password());
            });

    private final Workbench bench = new Workbench();
    private final Logger logger = (Logger) LoggerFactory.getLogger(FailureLog.NAME);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    @BeforeEach
    void listen() {
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void close() {
        logger.detachAppender(appender);
    }

    private LiveRun claimed(int maxAttempts) {
        var spec = JobSpec.of(LOGIN.ref(), "{\"password\":\"open-sesame\"}").maxAttempts(maxAttempts);
        return bench.claimed(List.of(spec.build()), LOGIN, RunTracing.OFF).get(0);
    }

    private ILoggingEvent logged() {
        assertThat(appender.list).hasSize(1);
        return appender.list.get(0);
    }

    private void run(LiveRun run, boolean logFailures) {
        var completions = new Completions(bench.store, bench.live, bench.reports, (one, transition) -> {});
        var hooks = new HookRunner(bench.store, new dev.longhaul.Registry());
        new JobRunner(
                        Map.of(Isolation.THREAD, new ThreadExecutor()),
                        new Begins(bench.store, bench.live),
                        hooks,
                        completions,
                        new Notices(bench.store),
                        logFailures)
                .run(run);
        hooks.close();
    }

    @Test
    void a_failed_attempt_is_a_warning_with_its_stack_and_without_secrets() {
        LiveRun run = claimed(3);
        run(run, true);

        assertThat(logged().getLevel()).isEqualTo(Level.WARN);
        assertThat(logged().getFormattedMessage())
                .startsWith("login@1 " + run.claim().jobId()
                        + ": attempt 1 of 3 failed (exception: wrong: ***); next attempt at 2")
                .contains("\n\tat dev.longhaul.engine.run.FailureLogTest")
                .doesNotContain("open-sesame");
        assertThat(logged().getMDCPropertyMap())
                .containsEntry("jobId", run.claim().jobId().toString());
    }

    @Test
    void the_last_failed_attempt_is_an_error() {
        LiveRun run = claimed(1);
        run(run, true);

        assertThat(logged().getLevel()).isEqualTo(Level.ERROR);
        assertThat(logged().getFormattedMessage())
                .startsWith("login@1 " + run.claim().jobId()
                        + ": attempt 1 of 1 failed (exception: wrong: ***); the job has failed\n");
    }

    @Test
    void a_failure_without_a_stack_is_one_line() {
        LiveRun run = claimed(1);
        FailureLog.log(run, Transition.retry(run.claim(), RunAt.now(), Failure.of(Failure.EXIT_CODE, "exit code 3")));

        assertThat(logged().getFormattedMessage()).endsWith("failed (exit_code: exit code 3); the job has failed");
    }

    @Test
    void other_ends_of_a_run_are_not_logged() {
        LiveRun run = claimed(1);
        FailureLog.log(run, Transition.succeed(run.claim(), "null"));
        FailureLog.log(run, Transition.snooze(run.claim(), RunAt.now()));
        FailureLog.log(run, Transition.giveBack(run.claim()));
        FailureLog.log(run, Transition.cancelled(run.claim()));
        FailureLog.log(run, Transition.leave(run.claim(), RunAt.now(), Failure.of(Failure.PARAMS_UNREADABLE, "no")));
        FailureLog.log(run, null);

        assertThat(appender.list).isEmpty();
    }

    @Test
    void nothing_is_logged_when_that_is_switched_off() {
        run(claimed(1), false);

        assertThat(appender.list).isEmpty();
    }
}
