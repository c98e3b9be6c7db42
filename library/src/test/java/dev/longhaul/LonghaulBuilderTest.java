package dev.longhaul;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class LonghaulBuilderTest {
    record Nothing() {}

    private static final Nothing NOTHING = new Nothing();
    private static final Duration PATIENCE = ofSeconds(20);

    private final JobDefinition<Nothing, Nothing> plain =
            JobDefinition.of("plain", Nothing.class, Nothing.class).handler((params, context) -> NOTHING);
    private final JobDefinition<Nothing, Nothing> elsewhere = JobDefinition.of(
                    "elsewhere", Nothing.class, Nothing.class)
            .queue("reports")
            .handler((params, context) -> NOTHING);

    @Test
    void the_queues_of_its_definitions_are_served_by_default() throws Exception {
        try (Longhaul longhaul =
                Longhaul.builder().memory().register(plain, elsewhere).start()) {
            JobId here = longhaul.later(plain, NOTHING);
            JobId there = longhaul.later(elsewhere, NOTHING);
            assertThat(longhaul.await(elsewhere, there, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(longhaul.await(plain, here, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
        }
    }

    @Test
    void once_queues_are_named_no_others_are_served() throws Exception {
        try (Longhaul longhaul = Longhaul.builder()
                .memory()
                .register(plain, elsewhere)
                .queues("default")
                .start()) {
            JobId there = longhaul.later(elsewhere, NOTHING);
            JobId here = longhaul.later(plain, NOTHING);
            assertThat(longhaul.await(plain, here, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(longhaul.find(there).orElseThrow().status()).isEqualTo(JobStatus.QUEUED);
        }
    }

    /** Names an executor that is not registered by default. */
    record Elsewhere(String region) implements Isolation {
        @Override
        public String executor() {
            return "elsewhere";
        }
    }

    private final JobDefinition<Nothing, Nothing> isolated = JobDefinition.of("isolated", Nothing.class, Nothing.class)
            .isolation(new Elsewhere("eu"))
            .handler((params, context) -> NOTHING);

    @Test
    void a_definition_runs_in_the_executor_that_it_names() throws Exception {
        var ran = new ConcurrentLinkedQueue<Isolation>();
        var threads = new ThreadExecutor();
        Executor executor = new Executor() {
            @Override
            public String name() {
                return "elsewhere";
            }

            @Override
            public void initialize() {}

            @Override
            public void prepare(JobDefinition<?, ?> definition) {}

            @Override
            public Outcome execute(Execution execution) {
                ran.add(execution.definition().isolation());
                return threads.execute(execution);
            }

            @Override
            public Health health() {
                return Health.OK;
            }

            @Override
            public void shutdown() {}
        };
        try (Longhaul longhaul = Longhaul.builder()
                .memory()
                .executor("elsewhere", executor)
                .register(plain, isolated)
                .start()) {
            JobId id = longhaul.later(isolated, NOTHING);
            JobId here = longhaul.later(plain, NOTHING);
            assertThat(longhaul.await(isolated, id, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(longhaul.await(plain, here, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
        }
        assertThat(ran).containsExactly(new Elsewhere("eu"));
    }

    @Test
    void a_definition_whose_executor_is_not_registered_is_refused_at_start() {
        assertThatThrownBy(() -> Longhaul.builder().memory().register(isolated).start())
                .hasMessage("isolated@1: isolation: elsewhere (expected: a registered executor: process, thread)");
        try (Longhaul longhaul =
                Longhaul.builder().memory().register(isolated).enqueueOnly().start()) {
            assertThat(longhaul.later(isolated, NOTHING)).isNotNull();
        }
    }
}
