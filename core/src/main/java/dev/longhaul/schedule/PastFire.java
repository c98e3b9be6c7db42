package dev.longhaul.schedule;

import dev.longhaul.job.Job;
import org.jspecify.annotations.Nullable;

/** A fire and the current state of its job; null if it created none, or if the job has been removed since. */
public record PastFire(Fire fire, @Nullable Job job) {}
