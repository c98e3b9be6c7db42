package dev.longhaul;

import static java.time.Duration.ofSeconds;

import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;

/** A Longhaul on one of the stores, and a job that adds. */
abstract class LonghaulFixture {
    record Add(int a, int b) {}

    record Sum(int sum) {}

    static final RetryPolicy AT_ONCE = RetryPolicy.of(new Backoff(Duration.ZERO, 1, Duration.ZERO));
    static final Duration PATIENCE = ofSeconds(20);

    /** Started by the test; closed after it. */
    @SuppressWarnings("NullAway.Init")
    Longhaul longhaul;

    abstract LonghaulBuilder builder();

    Longhaul start(JobDefinition<?, ?>... definitions) {
        longhaul = builder()
                .register(definitions)
                .slots(4)
                .lease(ofSeconds(3))
                .drain(ofSeconds(1))
                .start();
        return longhaul;
    }

    @AfterEach
    void close() {
        if (longhaul != null) {
            longhaul.close();
        }
    }

    static final JobDefinition<Add, Sum> ADD = JobDefinition.of("test.add", Add.class, Sum.class)
            .handler((params, context) -> new Sum(params.a() + params.b()));

    JobResult<Sum> run(JobDefinition<Add, Sum> definition, Add params) throws InterruptedException {
        start(definition);
        return longhaul.await(definition, longhaul.later(definition, params), PATIENCE);
    }

    /** Code that swallows interrupts. */
    static final class Uninterruptibly {
        static void await(CountDownLatch latch) {
            while (true) {
                try {
                    latch.await();
                    return;
                } catch (InterruptedException e) {
                    // Continues, as code that ignores interrupts does.
                }
            }
        }
    }
}
