package dev.longhaul.examples;

import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import java.util.Map;

/** Overrides the defaults of a definition for one job. */
public final class CallOptions {
    private CallOptions() {}

    record Report(String month) {}

    record Pages(int count) {}

    static final JobDefinition<Report, Pages> REPORT =
            JobDefinition.of("report", Report.class, Pages.class).handler((params, context) -> new Pages(3));

    // region options
    static JobId report(Longhaul longhaul, String tenant) {
        return longhaul.later(
                REPORT,
                new Report("2026-10"),
                options()
                        .queue("reports")
                        .priority(10)
                        .delay(ofMinutes(5))
                        .maxAttempts(1)
                        .labels(Map.of("tenant", tenant))
                        .idempotencyKey(tenant + "/2026-10")); // a second call returns the same job
    }
    // endregion

    public static void main(String[] arguments) {
        try (var longhaul = Longhaul.builder().memory().register(REPORT).start()) {
            JobId first = report(longhaul, "acme");
            JobId again = report(longhaul, "acme");
            System.out.println("the same job: " + first.equals(again));
            longhaul.find(first)
                    .ifPresent(job -> System.out.println(
                            job.status().wireName() + " in " + job.spec().queue()));
        }
    }
}
