package dev.longhaul.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The lease of a running job: the worker that runs it, and when the lease expires unless it is renewed. */
public record Lease(
        String workerId, Instant until, @Nullable Instant heartbeatAt) {}
