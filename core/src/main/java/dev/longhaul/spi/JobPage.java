package dev.longhaul.spi;

import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One page of a list, with the cursor of the next page; the cursor is null on the last page. */
public record JobPage(List<Job> jobs, @Nullable JobId nextCursor) {
    public JobPage {
        jobs = List.copyOf(jobs);
    }

    /**
     * Cuts the first page from the jobs that a store has read.
     *
     * @param found how many jobs exist; the store need not have read all of them
     */
    public static JobPage of(List<Job> read, int found, int limit) {
        List<Job> page = PageBytes.cut(read.subList(0, Math.min(read.size(), limit)), PageBytes::of);
        return new JobPage(page, page.size() < found ? page.get(page.size() - 1).id() : null);
    }
}
