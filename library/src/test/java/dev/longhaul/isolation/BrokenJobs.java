package dev.longhaul.isolation;

import static dev.longhaul.Isolation.process;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.isolation.ChildJobs.Nothing;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import java.time.Duration;
import java.util.List;

/** A provider that ends every JVM of an isolated job before it is ready. */
public final class BrokenJobs implements JobDefinitions {
    private static final String MARK = "LONGHAUL_BROKEN";

    static final JobDefinition<Nothing, String> BROKEN = JobDefinition.of("broken", Nothing.class, String.class)
            .isolation(process().environment(MARK, "1"))
            .maxAttempts(2)
            .retry(RetryPolicy.of(new Backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1))))
            .handler((params, context) -> "");

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        if (System.getenv(MARK) != null) {
            Runtime.getRuntime().halt(7);
        }
        return List.of(BROKEN);
    }
}
