package dev.longhaul.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Who runs a job now, and until when that holds unless renewed. */
public record Lease(
        String workerId, Instant until, @Nullable Instant heartbeatAt) {}
