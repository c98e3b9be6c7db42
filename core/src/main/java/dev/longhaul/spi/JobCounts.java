package dev.longhaul.spi;

import dev.longhaul.job.JobStatus;
import java.util.Map;

/**
 * How many jobs a query would list.
 *
 * @param counts by status; a status without jobs is absent
 * @param exact whether all jobs were counted; otherwise the counts are estimates, or cover the first
 * {@link #MOST_COUNTED}
 */
public record JobCounts(Map<JobStatus, Long> counts, boolean exact) {
    public static final int MOST_COUNTED = 20_000;

    public JobCounts {
        counts = Map.copyOf(counts);
    }
}
