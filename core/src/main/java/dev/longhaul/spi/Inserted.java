package dev.longhaul.spi;

import dev.longhaul.job.Job;

/**
 * The result of an insert: the new job, or the unchanged job that already has the idempotency key or id.
 *
 * @param deferred whether the job was accepted and is stored later. Then {@code job} is as it will be stored, unless its
 * idempotency key turns out to be used
 */
public record Inserted(Job job, boolean isNew, boolean deferred) {
    /** A stored job. */
    public Inserted(Job job, boolean isNew) {
        this(job, isNew, false);
    }
}
