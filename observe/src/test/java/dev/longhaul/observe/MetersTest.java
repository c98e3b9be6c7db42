package dev.longhaul.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.testing.LogOf;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application binds the metrics to its own registry, without the server. */
@Timeout(30)
class MetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double jobs(String what) {
        var counter = registry.find("longhaul.jobs." + what)
                .tag("definition", "test.echo")
                .counter();
        return counter == null ? 0 : counter.count();
    }

    @Test
    void count_into_the_registry_of_the_application() {
        JobDefinition<String, String> echo =
                JobDefinition.of("test.echo", String.class, String.class).handler((params, run) -> params);
        var meters = new Meters(registry);
        try (Longhaul longhaul =
                Longhaul.builder().memory().observe(meters).register(echo).start()) {
            var gauges = new StoreGauges(longhaul.store(), registry);
            longhaul.later(echo, "a");
            longhaul.later(echo, "b");
            while (jobs("succeeded") < 2 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            assertThat(jobs("enqueued")).isEqualTo(2);
            assertThat(jobs("claimed")).isEqualTo(2);
            assertThat(registry.get("longhaul.job.run").timer().count()).isEqualTo(2);
            try (var log = new LogOf(MeterRegistry.class)) {
                meters.refresh();
                meters.refresh();
                assertThat(log.lines()).isEmpty();
            }
            gauges.refresh();
            assertThat(registry.get("longhaul.loop.failures").functionCounters())
                    .isNotEmpty();
            assertThat(registry.get("longhaul.workers")
                            .tag("state", "active")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(registry.find("jvm.memory.used").meters()).isEmpty();
        }
    }

    @Test
    void count_nothing_of_a_shared_store_once_their_application_is_closed() {
        JobDefinition<String, String> echo =
                JobDefinition.of("test.echo", String.class, String.class).handler((params, run) -> params);
        try (var store = new MemoryStore()) {
            Longhaul.builder()
                    .store(store)
                    .observe(new Meters(registry))
                    .register(echo)
                    .enqueueOnly()
                    .start()
                    .close();
            try (Longhaul other =
                    Longhaul.builder().store(store).register(echo).enqueueOnly().start()) {
                other.later(echo, "a");
            }
        }
        assertThat(jobs("enqueued")).isZero();
    }
}
