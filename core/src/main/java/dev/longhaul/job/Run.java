package dev.longhaul.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a job, numbered by its lease.
 *
 * @param updatedAt the last sign of life: its start, a heartbeat, a report, a cancel request, or its end
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
