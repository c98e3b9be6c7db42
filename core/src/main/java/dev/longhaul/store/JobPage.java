package dev.longhaul.store;

import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One page of a list, and the cursor of the next; null when this is the last. */
public record JobPage(List<Job> jobs, @Nullable JobId nextCursor) {
    public JobPage {
        jobs = List.copyOf(jobs);
    }
}
