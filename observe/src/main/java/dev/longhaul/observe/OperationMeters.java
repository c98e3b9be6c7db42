package dev.longhaul.observe;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Duration, batch size and errors of one operation of the store. */
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
                        .description("Duration of store operations, failures included.")
                        .tag("operation", operation)
                        .serviceLevelObjectives(TIMES)
                        .register(registry),
                DistributionSummary.builder("longhaul.store.batch.jobs")
                        .description("Jobs per store operation.")
                        .tag("operation", operation)
                        .serviceLevelObjectives(SIZES)
                        .register(registry),
                Counter.builder("longhaul.store.errors")
                        .description("Failed store operations; rejected requests do not count.")
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

    /** Returns whether the store rejected the request, in contrast to a failure of the store. */
    private static boolean refusal(Throwable failure) {
        return failure instanceof LonghaulException known
                && known.code() != ErrorCode.UNAVAILABLE
                && known.code() != ErrorCode.INTERNAL;
    }
}
