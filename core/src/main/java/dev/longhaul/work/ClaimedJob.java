package dev.longhaul.work;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;

/** A job that the claimer now owns, its claim, and whether the store counts its run as begun. */
public record ClaimedJob(Claim claim, Job job, Begin begin) {
    /**
     * What the store knows about the begin of a claimed run. If the lease of a run expires before it began, the job's
     * attempt is not spent.
     */
    public enum Begin {
        /** The run counts as begun. */
        STORED,
        /** The run may begin at once; call {@code WorkSource.begin} soon after. */
        SOON,
        /** {@code WorkSource.begin} must be won before the code starts. */
        FIRST
    }

    /** A claimed job whose run counts as begun. */
    public ClaimedJob(Claim claim, Job job) {
        this(claim, job, Begin.STORED);
    }
}
