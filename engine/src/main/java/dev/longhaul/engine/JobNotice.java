package dev.longhaul.engine;

import dev.longhaul.event.EventType;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change this process has just made to a job, for listeners in the same process. Sent after it was stored. A process
 * that dies in between sends nothing; to miss no change, read the job's events or use a hook.
 *
 * @param type started, succeeded, failed, retrying, snoozed, released or cancelled
 * @param error why the run failed; only for failed and retrying
 */
public record JobNotice(
        JobId jobId,
        DefinitionRef definition,
        EventType type,
        int run,
        Instant at,
        @Nullable String error) {}
