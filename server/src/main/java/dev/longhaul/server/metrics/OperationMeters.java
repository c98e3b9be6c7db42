package dev.longhaul.server.metrics;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** How long one operation of the store takes, and how much it does at once. */
record OperationMeters(Timer took, DistributionSummary size) {
    private static final double[] SIZES = {1, 5, 10, 50, 100, 500, 1000};
    private static final Duration[] TIMES = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofMillis(2500)
    };

    static OperationMeters of(MeterRegistry registry, String operation) {
        return new OperationMeters(
                Timer.builder("longhaul.store.operation")
                        .description("How long the store took.")
                        .tag("operation", operation)
                        .serviceLevelObjectives(TIMES)
                        .register(registry),
                DistributionSummary.builder("longhaul.store.batch.jobs")
                        .description("How many jobs the store was asked about, or answered, at once.")
                        .tag("operation", operation)
                        .serviceLevelObjectives(SIZES)
                        .register(registry));
    }

    /** Runs the operation; its size is that of its answer. */
    <T> List<T> time(Supplier<List<T>> operation) {
        long began = System.nanoTime();
        List<T> answer = operation.get();
        took.record(System.nanoTime() - began, TimeUnit.NANOSECONDS);
        if (!answer.isEmpty()) {
            size.record(answer.size());
        }
        return answer;
    }
}
