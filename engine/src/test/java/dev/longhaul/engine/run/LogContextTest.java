package dev.longhaul.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.longhaul.engine.Completions;
import dev.longhaul.engine.LeaseKeeper;
import dev.longhaul.engine.RunWatch;
import dev.longhaul.job.JobSpec;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Log lines of Longhaul about a run have the same context fields (MDC) as the lines of the run's own code. */
class LogContextTest {
    private final Workbench bench = new Workbench();
    private final LiveRun run = bench.claimed(
                    List.of(JobSpec.of(Workbench.NOTHING.ref(), "{}")
                            .correlationId("order-7")
                            .build()),
                    Workbench.NOTHING,
                    RunTracing.OFF)
            .get(0);
    private final Map<String, Map<String, String>> marks = new ConcurrentHashMap<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.longhaul.engine");
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            // Copied now: the MDC belongs to this thread and changes later.
            marks.put(event.getFormattedMessage(), Map.copyOf(event.getMDCPropertyMap()));
        }
    };

    @BeforeEach
    void listen() {
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void close() {
        logger.detachAppender(appender);
    }

    private void assertMarked(String part) {
        Workbench.await(part, () -> marks.keySet().stream().anyMatch(line -> line.contains(part)));
        marks.forEach((line, with) -> {
            if (line.contains(part)) {
                assertThat(with)
                        .as("%s", line)
                        .containsEntry("jobId", run.claim().jobId().toString())
                        .containsEntry("attempt", "1")
                        .containsEntry("definition", "nothing@1")
                        .containsEntry("correlationId", "order-7");
            }
        });
        assertThat(MDC.get("jobId")).isNull();
    }

    @Test
    void are_on_lines_about_code_that_takes_too_long() {
        run.begin(Thread.currentThread());
        var watch = new RunWatch(bench.live, definition -> false, Duration.ofSeconds(1), (stuck, end) -> {});
        long late = run.startedAt() + run.job().spec().timeout().toNanos();
        watch.runOnce(late);
        watch.runOnce(late + TimeUnit.SECONDS.toNanos(11));
        assertThat(Thread.interrupted()).isTrue();

        assertMarked("timed out");
        assertMarked("stuck");
    }

    @Test
    void are_on_lines_about_callbacks_that_fail() {
        run.onStop(() -> {
            throw new IllegalStateException("planted");
        });
        run.stop(LiveRun.Stop.CANCEL);

        assertMarked("a cancel callback");
    }

    @Test
    void are_on_lines_about_ends_that_are_lost() throws Exception {
        bench.steal(run);
        settle(Transition.succeed(run.claim(), "{}"));

        assertMarked("its lease was lost");
    }

    @Test
    void are_on_lines_about_ends_that_no_store_takes() throws Exception {
        bench.faults.always("apply", call -> {
            throw new IllegalStateException("planted");
        });
        settle(Transition.giveBack(run.claim()));

        assertMarked("the store rejected a write");
        assertMarked("the store rejected its end");
    }

    @Test
    void are_on_lines_about_ends_whose_listener_failed() throws Exception {
        settle(Transition.giveBack(run.claim()));

        assertMarked("a listener or hook failed");
    }

    private void settle(Transition end) throws Exception {
        try (var completions = new Completions(bench.store, bench.live, bench.reports, (ended, transition) -> {
            throw new IllegalStateException("planted");
        })) {
            completions.start();
            run.end();
            completions.add(run, end);
            Workbench.soon(run.settled());
        }
    }

    @Test
    void are_on_lines_about_leases_that_are_lost() {
        bench.steal(run);
        run.begin(Thread.currentThread());
        var keeper = new LeaseKeeper(bench.store, bench.live, Workbench.LEASE);
        keeper.cancelRequested(run.claim().jobId());
        keeper.runOnce();
        assertThat(Thread.interrupted()).isTrue();

        assertMarked("lease lost");
    }
}
