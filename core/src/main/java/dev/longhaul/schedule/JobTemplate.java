package dev.longhaul.schedule;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.ScheduleFire;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings that the jobs of a schedule share. Taken from a checked spec, with the defaults that its definition had
 * then: later changes of the definition do not change a schedule.
 */
public record JobTemplate(
        DefinitionRef definition,
        String params,
        String queue,
        int priority,
        int maxAttempts,
        Duration timeout,
        @Nullable String name,
        Map<String, String> labels,
        @Nullable String secrets) {

    public static JobTemplate of(JobSpec spec) {
        return new JobTemplate(
                spec.definition(),
                spec.params(),
                spec.queue(),
                spec.priority(),
                spec.maxAttempts(),
                spec.timeout(),
                spec.name(),
                spec.labels(),
                spec.secrets());
    }

    /** The same template with these secret places of its params and result ({@link JobSpec#secrets}). */
    public JobTemplate withSecrets(@Nullable String places) {
        return new JobTemplate(definition, params, queue, priority, maxAttempts, timeout, name, labels, places);
    }

    /** The job of one fire, with a new id. */
    JobSpec job(ScheduleFire fire, Instant runAt, boolean hold, @Nullable String by) {
        return JobSpec.of(definition, params)
                .queue(queue)
                .priority(priority)
                .maxAttempts(maxAttempts)
                .timeout(timeout)
                .name(name)
                .labels(labels)
                .runTime(RunAt.at(runAt))
                .hold(hold)
                .createdBy(by)
                .schedule(fire)
                .secrets(secrets)
                .build();
    }
}
