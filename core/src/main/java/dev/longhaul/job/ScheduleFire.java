package dev.longhaul.job;

import java.time.Instant;

/** The schedule that created a job, and the fire time for which it created the job. */
public record ScheduleFire(String scheduleKey, Instant fireAt) {}
