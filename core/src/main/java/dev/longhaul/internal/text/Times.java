package dev.longhaul.internal.text;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The timestamps of a job, by the store's clock. */
public record Times(
        Instant createdAt,
        Instant updatedAt,
        Instant runAt,
        @Nullable Instant startedAt,
        @Nullable Instant finishedAt) {}
