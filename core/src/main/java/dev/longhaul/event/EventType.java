package dev.longhaul.event;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunStatus;
import java.util.List;
import java.util.Locale;

/**
 * The types of events. The store creates the events of a job's lifecycle; a run reports all other events, with its
 * claim.
 */
public enum EventType {
    CREATED,
    RELEASED,
    EDITED,
    CANCEL_REQUESTED,
    STARTED,
    PROGRESS,
    LOG,
    OUTPUT,
    STEP,
    SNOOZED,
    RETRYING,
    LOST,
    SUCCEEDED,
    FAILED,
    CANCELLED,
    RETRIED,
    PROCESS_START,
    PROCESS_END,
    PROCESS_ERROR,
    HOOK_FAILED,
    HEARTBEAT,
    CUSTOM,
    /** A waiting job was held by a command. */
    HELD;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static EventType parse(String text) {
        for (EventType type : values()) {
            if (type.wireName().equals(text)) {
                return type;
            }
        }
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("type", text, "an event type such as progress")));
    }

    /** Whether a run may report events of this type itself. */
    public boolean reportable() {
        return switch (this) {
            case LOG, OUTPUT, PROCESS_START, PROCESS_END, PROCESS_ERROR, HOOK_FAILED, HEARTBEAT, CUSTOM -> true;
            default -> false;
        };
    }

    /** The event of a job that reached a terminal state. */
    public static EventType ofEnd(JobState state) {
        return switch (state) {
            case SUCCEEDED -> SUCCEEDED;
            case FAILED -> FAILED;
            case CANCELLED -> CANCELLED;
            default -> throw new IllegalArgumentException("state: " + state + " (expected: a terminal state)");
        };
    }

    /** The event of a run that ended without ending its job, or that was lost. */
    public static EventType ofRunEnd(RunStatus status) {
        return switch (status) {
            case FAILED -> RETRYING;
            case SNOOZED -> SNOOZED;
            case RELEASED -> RELEASED;
            case LOST -> LOST;
            default ->
                throw new IllegalArgumentException(
                        "run status: " + status + " (expected: failed, snoozed, released or lost)");
        };
    }
}
