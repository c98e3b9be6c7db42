package dev.longhaul.memory;

import dev.longhaul.job.JobState;
import dev.longhaul.queue.Standing;
import java.time.Instant;
import java.util.List;

/** Finds out what stands before a job. */
final class Standings {
    private Standings() {}

    static Standing of(StoredJob job, JobIndex jobs, Settings settings, Instant now) {
        String key = job.spec().definition().key();
        List<StoredJob> ahead = job.state() == JobState.WAITING ? ahead(job, jobs, now) : List.of();
        long running = jobs.leased().stream()
                .filter(other -> other.spec().definition().key().equals(key))
                .count();
        long higher = ahead.stream()
                .filter(other -> other.spec().priority() > job.spec().priority())
                .count();
        return new Standing(
                job.view(now),
                settings.pauseOf(job.spec().queue()),
                settings.concurrencyLimitOf(key),
                (int) running,
                ahead.size(),
                (int) higher);
    }

    private static List<StoredJob> ahead(StoredJob job, JobIndex jobs, Instant now) {
        return jobs.waiting().stream()
                .takeWhile(other -> !other.id().equals(job.id()))
                .filter(other -> other.due(now)
                        && !other.onLastLife()
                        && other.spec().queue().equals(job.spec().queue()))
                .limit(Standing.MOST_COUNTED)
                .toList();
    }
}
