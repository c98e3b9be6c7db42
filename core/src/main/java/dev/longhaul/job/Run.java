package dev.longhaul.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One execution of a job, numbered by its lease. */
public record Run(
        JobId jobId,
        int run,
        int attempt,
        RunStatus status,
        String workerId,
        Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Failure failure) {}
