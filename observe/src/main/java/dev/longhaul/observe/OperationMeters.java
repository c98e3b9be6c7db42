package dev.longhaul.observe;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long one operation of the store takes, how much it does at once, and how often it fails. */
record OperationMeters(Timer took, DistributionSummary size, Counter errors) {
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
                        .register(registry),
                Counter.builder("longhaul.store.errors")
                        .description("Calls that the store did not answer.")
                        .tag("operation", operation)
                        .register(registry));
    }

    void called(Duration duration, int jobs, @Nullable Throwable failure) {
        took.record(duration);
        if (jobs > 0) {
            size.record(jobs);
        }
        if (failure != null && !refusal(failure)) {
            errors.increment();
        }
    }

    /** Whether the store did respond: it rejected the request. */
    private static boolean refusal(Throwable failure) {
        return failure instanceof LonghaulException known
                && known.code() != ErrorCode.UNAVAILABLE
                && known.code() != ErrorCode.INTERNAL;
    }
}
