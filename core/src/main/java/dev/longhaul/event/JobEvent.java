package dev.longhaul.event;

import dev.longhaul.job.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event of a job.
 *
 * @param position rises per job in commit order, without repeats
 * @param run the run it belongs to; 0 when it belongs to none
 * @param sequence the reporter's own number within the run; 0 for events that the store created
 * @param payload JSON text
 */
public record JobEvent(
        JobId jobId,
        int position,
        int run,
        int sequence,
        EventType type,
        Instant at,
        @Nullable String payload) {

    public String id() {
        return jobId + "-" + position;
    }
}
