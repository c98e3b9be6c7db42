package dev.longhaul.queue;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** That a queue hands out no jobs: since when, who said so, and why. */
public record Pause(
        Instant since, @Nullable String by, @Nullable String note) {}
