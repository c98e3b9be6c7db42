package dev.longhaul.store;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;

/** A job that now belongs to the claimer, with the proof of it. */
public record ClaimedJob(Claim claim, Job job) {}
