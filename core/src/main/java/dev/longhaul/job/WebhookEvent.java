package dev.longhaul.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a webhook may be told of. */
public enum WebhookEvent {
    /** A run has begun, the first or another one. */
    JOB_STARTED,
    JOB_SUCCEEDED,
    JOB_FAILED,
    /** A run failed or was lost, and there will be another. */
    JOB_RETRYING,
    JOB_CANCELLED,
    /** The job has ended, however; told besides the event that says how. */
    JOB_ENDED,
    /** Fire times of a schedule have passed without a job, because nobody led. */
    SCHEDULE_MISSED,
    /** Jobs of a queue are due and nobody has begun the oldest of them for minutes. */
    QUEUE_STALLED,
    /** The database has another timeline than before: a standby was promoted, or a backup restored. */
    DATABASE_FAILOVER,
    /** Somebody wants to see whether the webhook works; nobody subscribes to that. */
    WEBHOOK_TEST;

    /** The events of a single job. */
    public static final Set<WebhookEvent> OF_ONE_JOB =
            Collections.unmodifiableSet(EnumSet.range(JOB_STARTED, JOB_ENDED));

    /** As in JSON and in the database, {@code job.started}. */
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

    /** What it makes of a job; null where the event alone does not say it. */
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

    /** What the end of a job is told as, in this order. */
    public static List<WebhookEvent> ofEnd(JobState state) {
        return switch (state) {
            case SUCCEEDED -> List.of(JOB_SUCCEEDED, JOB_ENDED);
            case FAILED -> List.of(JOB_FAILED, JOB_ENDED);
            case CANCELLED -> List.of(JOB_CANCELLED, JOB_ENDED);
            default -> List.of();
        };
    }
}
