package dev.longhaul.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Which worker runs a job, and until when unless the lease is renewed. */
public record Lease(
        String workerId, Instant until, @Nullable Instant heartbeatAt) {}
