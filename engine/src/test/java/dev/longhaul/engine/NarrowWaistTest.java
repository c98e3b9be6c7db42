package dev.longhaul.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.SnoozeException;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.engine.run.Workbench.Empty;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs the engine on a work source that implements only the port: {@link MapWorkSource}. */
class NarrowWaistTest {
    private static final WorkerConfig CONFIG =
            WorkerConfig.DEFAULT.withWorkerId("narrow").withSlots(4);

    private final MapWorkSource source = new MapWorkSource();
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch started = new CountDownLatch(1);
    private @Nullable Worker worker;

    @AfterEach
    void close() {
        Objects.requireNonNull(worker).close();
    }

    private void start(JobDefinition<?, ?> definition) {
        var registry = new Registry();
        registry.register(definition);
        var backend = new WorkerBackend(source, Map.of(Isolation.THREAD, new ThreadExecutor()), registry, CONFIG, null);
        backend.initialize();
        var engine = new Worker(source, registry, CONFIG, backend);
        engine.start();
        worker = engine;
    }

    private static JobDefinition.Builder<Empty, Empty> definition() {
        return JobDefinition.of("narrow", Empty.class, Empty.class);
    }

    private static JobSpec job(JobDefinition<?, ?> definition) {
        return JobSpec.of(definition.ref(), "{}")
                .maxAttempts(definition.maxAttempts())
                .build();
    }

    private JobId add(JobSpec spec) {
        source.insert(List.of(spec));
        return spec.id();
    }

    private Job ended(JobId id) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Workbench.PATIENCE_SECONDS);
        while (!source.find(id).orElseThrow().state().terminal()) {
            assertThat(System.nanoTime()).as("still waiting for %s", id).isLessThan(until);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
        return source.find(id).orElseThrow();
    }

    @Test
    void runs_every_job_once() {
        var plain = definition().handler((params, context) -> {
            calls.incrementAndGet();
            return new Empty();
        });
        start(plain);
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            ids.add(add(job(plain)));
        }
        ids.forEach(id -> assertThat(ended(id).status()).isEqualTo(JobStatus.SUCCEEDED));
        assertThat(calls).hasValue(2000);
    }

    @Test
    void retries_snoozes_and_keeps_steps_and_progress() {
        var flaky = definition()
                .maxAttempts(3)
                .retry(RetryPolicy.of(new Backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10))))
                .handler((params, context) -> {
                    String value = context.step("once", String.class, () -> "step " + calls.get());
                    context.progress(50, value);
                    return switch (calls.incrementAndGet()) {
                        case 1 -> throw new IllegalStateException("first");
                        case 2 -> throw new SnoozeException(RunAt.after(Duration.ofMillis(10)));
                        default -> {
                            assertThat(value).isEqualTo("step 0");
                            yield new Empty();
                        }
                    };
                });
        start(flaky);
        Job job = ended(add(job(flaky)));
        assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(job.tally().run()).isEqualTo(3);
        assertThat(job.tally().attempts()).isEqualTo(2);
        assertThat(source.steps(job.id())).extracting(Step::name).containsExactly("once");
    }

    @Test
    void cancels_running_code() throws Exception {
        var endless = definition().handler((params, context) -> {
            started.countDown();
            new CountDownLatch(1).await();
            return new Empty();
        });
        start(endless);
        JobId id = add(job(endless));
        assertThat(started.await(Workbench.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        source.cancel(id);
        assertThat(ended(id).status()).isEqualTo(JobStatus.CANCELLED);
    }
}
