package dev.longhaul.store;

import dev.longhaul.job.Claim;
import dev.longhaul.job.JobState;

/** A run whose lease lapsed, and the state its job is in now. */
public record Expired(Claim claim, String workerId, JobState state) {}
