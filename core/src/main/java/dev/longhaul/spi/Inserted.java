package dev.longhaul.spi;

import dev.longhaul.job.Job;

/** The result of an insert: the new job, or the unchanged job that already has the idempotency key or id. */
public record Inserted(Job job, boolean isNew) {}
