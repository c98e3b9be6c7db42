package dev.longhaul.schedule;

import dev.longhaul.job.Job;
import org.jspecify.annotations.Nullable;

/** A fire and its job as it is now; null if it made none, or if that has been removed since. */
public record PastFire(Fire fire, @Nullable Job job) {}
