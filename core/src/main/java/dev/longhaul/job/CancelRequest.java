package dev.longhaul.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** That somebody wants a running job to end: when they said so, why, and how long it may take before it is forced. */
public record CancelRequest(
        Instant at, @Nullable String reason, @Nullable Duration grace) {}
