package dev.longhaul.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a job. Each lease of a job starts a run with the next number.
 *
 * @param updatedAt the time of its last change: its start, a heartbeat, a report, a cancel request, or its end
 */
public record Run(
        JobId jobId,
        int run,
        int attempt,
        RunStatus status,
        String workerId,
        Instant startedAt,
        @Nullable Instant endedAt,
        Instant updatedAt,
        @Nullable Failure failure) {}
