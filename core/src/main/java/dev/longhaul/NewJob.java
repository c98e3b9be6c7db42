package dev.longhaul;

import org.jspecify.annotations.Nullable;

/**
 * A requested job, given by names and JSON text.
 *
 * @param version null means the highest known version
 */
public record NewJob(String key, @Nullable Integer version, String params, JobOptions options) {}
