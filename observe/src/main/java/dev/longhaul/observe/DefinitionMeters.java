package dev.longhaul.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Counters and timers of one definition, for operations of this process. */
record DefinitionMeters(
        Counter enqueued,
        Counter claimed,
        Counter succeeded,
        Counter failed,
        Counter retried,
        Counter cancelled,
        Counter crashed,
        Counter unreadable,
        Timer waited,
        Timer ran) {
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1),
        Duration.ofMinutes(5),
        Duration.ofMinutes(30),
        Duration.ofHours(2)
    };

    static DefinitionMeters of(MeterRegistry registry, String definition) {
        return new DefinitionMeters(
                counter(registry, definition, "enqueued", "Jobs created."),
                counter(registry, definition, "claimed", "Runs started."),
                counter(registry, definition, "succeeded", "Jobs that succeeded."),
                counter(registry, definition, "failed", "Jobs that failed permanently."),
                counter(
                        registry,
                        definition,
                        "retried",
                        "Runs that failed or were lost and whose job will be retried."),
                counter(registry, definition, "cancelled", "Jobs cancelled."),
                counter(registry, definition, "crashed", "Runs whose process or worker died."),
                counter(
                        registry,
                        definition,
                        "unreadable",
                        "Runs that ended because the worker's code could not read the params."),
                timer(registry, definition, "wait", "Time from when a job was due until its run started."),
                timer(registry, definition, "run", "Time from the start of a run until its end was stored."));
    }

    private static Counter counter(MeterRegistry registry, String definition, String what, String description) {
        return Counter.builder("longhaul.jobs." + what)
                .description(description)
                .tag("definition", definition)
                .register(registry);
    }

    private static Timer timer(MeterRegistry registry, String definition, String what, String description) {
        return Timer.builder("longhaul.job." + what)
                .description(description)
                .tag("definition", definition)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
