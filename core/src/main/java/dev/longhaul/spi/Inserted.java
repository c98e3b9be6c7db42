package dev.longhaul.spi;

import dev.longhaul.job.Job;

/** What became of a spec: its new job, or the job that already has its idempotency key or id, unchanged. */
public record Inserted(Job job, boolean isNew) {}
