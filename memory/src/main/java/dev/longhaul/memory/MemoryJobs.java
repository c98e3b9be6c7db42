package dev.longhaul.memory;

import dev.longhaul.JobQuery;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Run;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.PageBytes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The stored jobs. */
final class MemoryJobs implements JobStore {
    private final JobIndex jobs;
    private final Inserts inserts;
    private final Commands commands;
    private final StoreLock lock;
    private final StoreListeners listeners;

    MemoryJobs(JobIndex jobs, Inserts inserts, Commands commands, StoreLock lock) {
        this.jobs = jobs;
        this.inserts = inserts;
        this.commands = commands;
        this.lock = lock;
        this.listeners = lock.storeListeners();
    }

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        return listeners.insert(() -> lock.write(now -> inserts.insert(specs, now)));
    }

    @Override
    public CommandResult execute(JobCommand command) {
        return commands.execute(command);
    }

    @Override
    public Optional<Job> find(JobId id) {
        return lock.read(() -> Optional.ofNullable(jobs.find(id)).map(job -> job.view(lock.now())));
    }

    @Override
    public Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        return lock.read(() -> Optional.ofNullable(jobs.find(definitionKey, version, idempotencyKey))
                .map(job -> job.view(lock.now())));
    }

    @Override
    public JobPage list(JobQuery query) {
        return lock.read(() -> {
            Instant now = lock.now();
            Predicate<StoredJob> requested = new Listed(query, now);
            List<Job> found = jobs.from(query.cursor(), query.order()).stream()
                    .filter(requested)
                    .limit(query.limit() + 1L)
                    .map(job -> query.brief() ? job.view(now).brief() : job.view(now))
                    .toList();
            return JobPage.of(found, found.size(), query.limit());
        });
    }

    @Override
    public JobCounts count(JobQuery query) {
        return lock.read(() -> {
            Instant now = lock.now();
            var counts = jobs.all().stream()
                    .filter(new Listed(query, now))
                    .collect(Collectors.groupingBy(job -> job.status(now), Collectors.counting()));
            return new JobCounts(counts, true);
        });
    }

    @Override
    public List<Run> runs(JobId id, int after, int limit) {
        return PageBytes.cut(
                ofJob(id, job -> job.runs().filter(run -> run.run() > after).limit(limit)), PageBytes::of);
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        return PageBytes.cut(
                ofJob(query.jobId(), job -> job.events().filter(query::matches).limit(query.limit())), PageBytes::of);
    }

    @Override
    public OptionalInt lastSequence(Claim claim) {
        return lock.read(() -> {
            StoredJob job = jobs.held(claim);
            return job == null ? OptionalInt.empty() : OptionalInt.of(job.lastSequence());
        });
    }

    private <T> List<T> ofJob(JobId id, Function<StoredJob, Stream<T>> part) {
        return lock.read(() -> {
            StoredJob job = jobs.find(id);
            return job == null ? List.of() : part.apply(job).toList();
        });
    }

    /** Whether a job matches a query at that time. */
    private record Listed(JobQuery query, Instant now) implements Predicate<StoredJob> {
        @Override
        public boolean test(StoredJob job) {
            return (query.statuses().isEmpty() || query.statuses().contains(job.status(now)))
                    && fits(job.spec())
                    && within(query.createdAfter(), job.createdAt(), query.createdBefore())
                    && within(query.finishedAfter(), job.finishedAt(), query.finishedBefore());
        }

        private boolean fits(JobSpec spec) {
            return fits(query.definitionKey(), spec.definition().key())
                    && fits(query.queue(), spec.queue())
                    && fits(query.correlationId(), spec.correlationId())
                    && fits(query.createdBy(), spec.createdBy())
                    && begins(spec.name())
                    && spec.labels().entrySet().containsAll(query.labels().entrySet());
        }

        /** Whether the time is within the given bounds; a missing time is not. */
        private static boolean within(@Nullable Instant after, @Nullable Instant time, @Nullable Instant before) {
            return (after == null || (time != null && !time.isBefore(after)))
                    && (before == null || (time != null && time.isBefore(before)));
        }

        private boolean begins(@Nullable String name) {
            String prefix = query.namePrefix();
            return prefix == null || (name != null && name.startsWith(prefix));
        }

        private static boolean fits(@Nullable String asked, @Nullable String found) {
            return asked == null || asked.equals(found);
        }
    }
}
