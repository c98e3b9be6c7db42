package dev.longhaul.examples;

import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.observe.Meters;
import dev.longhaul.observe.OpenTelemetryTracing;
import dev.longhaul.observe.StoreGauges;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import javax.sql.DataSource;

/** Adds metrics and spans of jobs to an application's own registry and OpenTelemetry instance, without the server. */
public final class Metrics {
    private Metrics() {}

    record Invoice(String number) {}

    static final JobDefinition<Invoice, String> SEND =
            JobDefinition.of("invoice.send", Invoice.class, String.class).handler((params, context) -> params.number());

    static double run(DataSource dataSource, MeterRegistry registry, OpenTelemetry openTelemetry)
            throws InterruptedException {
        // region metrics
        var meters = new Meters(registry);
        try (var longhaul = Longhaul.builder()
                .postgres(dataSource)
                .observe(meters) // metrics of this process
                .traceBy(OpenTelemetryTracing.of(openTelemetry))
                .register(SEND)
                .start()) {
            var gauges = new StoreGauges(longhaul.store(), registry); // metrics of the whole cluster
            JobId id = longhaul.later(SEND, new Invoice("2026-17"));
            longhaul.await(SEND, id, ofMinutes(1)).orThrow();

            meters.refresh(); // before the registry is published
            gauges.refresh();
            return registry.get("longhaul.jobs.enqueued")
                    .tag("definition", "invoice.send")
                    .counter()
                    .count();
        }
        // endregion
    }

    public static void main(String[] arguments) throws Exception {
        try (var database = ExampleDatabase.open()) {
            System.out.println(
                    "enqueued: " + run(database.dataSource(), new SimpleMeterRegistry(), OpenTelemetry.noop()));
        }
    }
}
