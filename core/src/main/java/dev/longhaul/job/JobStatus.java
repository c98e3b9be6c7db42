package dev.longhaul.job;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The state of a job as users see it: waiting is shown as scheduled, queued or retrying. Derived from the run time,
 * the attempts and the store's clock, so that no row is rewritten when a job becomes due.
 */
public enum JobStatus {
    CREATED(JobState.CREATED),
    /** Waiting for its run time, not failed yet. */
    SCHEDULED(JobState.WAITING),
    /** Waiting for a worker. */
    QUEUED(JobState.WAITING),
    /** Waiting for its run time after a failed attempt. */
    RETRYING(JobState.WAITING),
    RUNNING(JobState.RUNNING),
    CANCELLING(JobState.CANCELLING),
    SUCCEEDED(JobState.SUCCEEDED),
    FAILED(JobState.FAILED),
    CANCELLED(JobState.CANCELLED);

    private final JobState state;

    JobStatus(JobState state) {
        this.state = state;
    }

    public JobState state() {
        return state;
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The status of a job at {@code now}. */
    public static JobStatus of(JobState state, Instant runAt, int attempts, Instant now) {
        return switch (state) {
            case CREATED -> CREATED;
            case WAITING -> !runAt.isAfter(now) ? QUEUED : attempts > 0 ? RETRYING : SCHEDULED;
            case RUNNING -> RUNNING;
            case CANCELLING -> CANCELLING;
            case SUCCEEDED -> SUCCEEDED;
            case FAILED -> FAILED;
            case CANCELLED -> CANCELLED;
        };
    }

    /** The status with that wire name; an unknown one is an invalid argument. */
    public static JobStatus parse(String text) {
        for (JobStatus status : values()) {
            if (status.wireName().equals(text)) {
                return status;
            }
        }
        String known = Arrays.stream(values()).map(JobStatus::wireName).collect(Collectors.joining(", "));
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("status", text, "one of " + known)));
    }
}
