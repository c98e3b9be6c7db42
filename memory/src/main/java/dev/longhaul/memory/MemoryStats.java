package dev.longhaul.memory;

import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import dev.longhaul.stats.DatabaseHealth;
import dev.longhaul.stats.FailureGroups;
import dev.longhaul.stats.Meter;
import dev.longhaul.stats.SeriesQuery;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.stats.TimeSeries;
import dev.longhaul.work.RunEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Statistics of the jobs of this process. */
final class MemoryStats implements StatsStore {
    private final Meter meter = new Meter();
    private final StoreLock lock;
    private final JobIndex jobs;

    MemoryStats(StoreLock lock, JobIndex jobs) {
        this.lock = lock;
        this.jobs = jobs;
    }

    /** Counts the end of a run; {@code job} is the job before that end. */
    void ended(Job job, RunEnd how, Instant now) {
        Meter.End end = Meter.End.of(how);
        if (end != null) {
            String key = job.spec().definition().key();
            meter.count(new Meter.Ended(
                    now,
                    job.spec().queue(),
                    key,
                    end,
                    job.times().runAt(),
                    job.times().startedAt()));
            meter.forget(KEEP_FINE, KEEP_COARSE);
        }
    }

    @Override
    public void flush() {
        // Nothing to do: all counters are in memory.
    }

    @Override
    public TimeSeries timeSeries(SeriesQuery query) {
        var sum = new TimeSeries.Sum(query, lock.now());
        meter.counted().forEach(sum::add);
        return sum.result();
    }

    @Override
    public Failures failures(Duration within) {
        return lock.read(() -> {
            Instant now = lock.now();
            var groups = new FailureGroups();
            jobs.all().stream()
                    .filter(job -> job.status(now) == JobStatus.FAILED && !job.finishedBefore(now.minus(within)))
                    .map(job -> job.view(now))
                    .forEach(job -> add(groups, job));
            return new Failures(groups.largest(), true);
        });
    }

    private static void add(FailureGroups groups, Job job) {
        Failure failure = job.failure();
        Instant at = job.times().finishedAt();
        if (failure != null && at != null) {
            groups.add(job.id(), job.spec().definition().key(), failure, at);
        }
    }

    @Override
    public Optional<DatabaseHealth> database() {
        return Optional.empty();
    }
}
