package dev.longhaul.work;

import dev.longhaul.job.Claim;
import dev.longhaul.job.JobState;

/** A run whose lease expired, the state its job is in now, and the key of its definition. */
public record Expired(Claim claim, String workerId, JobState state, String definitionKey) {}
