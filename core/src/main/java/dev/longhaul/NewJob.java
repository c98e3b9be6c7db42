package dev.longhaul;

import org.jspecify.annotations.Nullable;

/**
 * A job that is asked for from outside, where only names and JSON text are known.
 *
 * @param version null means the highest known
 */
public record NewJob(String key, @Nullable Integer version, String params, JobOptions options) {}
