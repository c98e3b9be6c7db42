package dev.longhaul.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The events that webhooks receive. */
public enum WebhookEvent {
    /** A run has started, the first or a later one. */
    JOB_STARTED,
    JOB_SUCCEEDED,
    JOB_FAILED,
    /** A run failed or was lost; the job will run again. */
    JOB_RETRYING,
    JOB_CANCELLED,
    /** The job has ended in any way; sent in addition to the event that says how. */
    JOB_ENDED,
    /** Fire times of a schedule have passed without a job, because no process was the leader. */
    SCHEDULE_MISSED,
    /** No worker has started the oldest due job of a queue for minutes. */
    QUEUE_STALLED,
    /** The database has another timeline than before: a standby was promoted, or a backup restored. */
    DATABASE_FAILOVER,
    /** A test delivery that an operator requested; webhooks cannot subscribe to it. */
    WEBHOOK_TEST;

    /** The events of a single job. */
    public static final Set<WebhookEvent> OF_ONE_JOB =
            Collections.unmodifiableSet(EnumSet.range(JOB_STARTED, JOB_ENDED));

    /** The name in JSON and in the database, such as {@code job.started}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    public boolean subscribable() {
        return this != WEBHOOK_TEST;
    }

    public static Optional<WebhookEvent> of(String text) {
        return Arrays.stream(values())
                .filter(event -> event.text().equals(text))
                .findFirst();
    }

    /** The status of the job after the event; null where the event alone does not determine it. */
    public @Nullable JobStatus status() {
        return switch (this) {
            case JOB_STARTED -> JobStatus.RUNNING;
            case JOB_RETRYING -> JobStatus.RETRYING;
            case JOB_SUCCEEDED -> JobStatus.SUCCEEDED;
            case JOB_FAILED -> JobStatus.FAILED;
            case JOB_CANCELLED -> JobStatus.CANCELLED;
            case JOB_ENDED, SCHEDULE_MISSED, QUEUE_STALLED, DATABASE_FAILOVER, WEBHOOK_TEST -> null;
        };
    }

    /** The events of a job's end, in this order. */
    public static List<WebhookEvent> ofEnd(JobState state) {
        return switch (state) {
            case SUCCEEDED -> List.of(JOB_SUCCEEDED, JOB_ENDED);
            case FAILED -> List.of(JOB_FAILED, JOB_ENDED);
            case CANCELLED -> List.of(JOB_CANCELLED, JOB_ENDED);
            default -> List.of();
        };
    }
}
