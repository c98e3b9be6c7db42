package dev.longhaul.job;

import java.time.Instant;

/** Which schedule created a job, and for which of its fire times. */
public record ScheduleFire(String scheduleKey, Instant fireAt) {}
