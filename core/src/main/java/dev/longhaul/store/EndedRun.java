package dev.longhaul.store;

import dev.longhaul.job.RunEnd;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a transition made of its run and job, and when, by the store's clock: whoever counts need not have seen the run begin. */
public record EndedRun(
        String definitionKey, RunEnd end, @Nullable Instant startedAt, Instant endedAt) {}
