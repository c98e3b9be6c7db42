package dev.longhaul.work;

import dev.longhaul.job.Claim;

/** A run that the store ended because it was past its deadline. */
public record Overdue(Claim claim, String workerId, EndedRun ended) {}
