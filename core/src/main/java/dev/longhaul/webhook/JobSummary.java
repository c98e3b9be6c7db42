package dev.longhaul.webhook;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.WebhookEvent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a job's event, as the job was when the event happened: neither params nor result.
 *
 * @param position the position of the event among the job's events
 * @param status the job's status after the event; null in a {@link WebhookEvent#JOB_ENDED} that an older version
 * stored
 */
public record JobSummary(
        JobId id,
        int position,
        @Nullable JobStatus status,
        DefinitionRef definition,
        String queue,
        int run,
        int attempts,
        @Nullable String name,
        @Nullable String correlationId,
        Map<String, String> labels,
        @Nullable String errorCode,
        @Nullable String errorMessage,
        @Nullable String traceparent) {

    public static JobSummary of(Job job, int position) {
        Failure failure = job.state().leased() ? null : job.failure();
        return new JobSummary(
                job.id(),
                position,
                // Always "retrying", even if the run time is now: the event reports a failed attempt.
                job.state() == JobState.WAITING ? JobStatus.RETRYING : job.status(),
                job.spec().definition(),
                job.spec().queue(),
                job.tally().run(),
                job.tally().attempts(),
                job.spec().name(),
                job.spec().correlationId(),
                job.spec().labels(),
                failure == null ? null : failure.code(),
                failure == null ? null : failure.message(),
                job.spec().traceparent());
    }
}
