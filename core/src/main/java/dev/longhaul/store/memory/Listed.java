package dev.longhaul.store.memory;

import dev.longhaul.job.JobSpec;
import dev.longhaul.store.JobQuery;
import java.time.Instant;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whether a job belongs to the answer of a query, at one moment. */
record Listed(JobQuery query, Instant now) implements Predicate<StoredJob> {
    static Predicate<StoredJob> by(JobQuery query, Instant now) {
        return new Listed(query, now);
    }

    @Override
    public boolean test(StoredJob job) {
        return (query.statuses().isEmpty() || query.statuses().contains(job.status(now)))
                && fits(job.spec())
                && fits(job.createdAt());
    }

    private boolean fits(JobSpec spec) {
        return fits(query.definitionKey(), spec.definition().key())
                && fits(query.queue(), spec.queue())
                && fits(query.correlationId(), spec.correlationId())
                && fits(query.createdBy(), spec.createdBy())
                && begins(spec.name())
                && spec.labels().entrySet().containsAll(query.labels().entrySet());
    }

    private boolean fits(Instant createdAt) {
        Instant after = query.createdAfter();
        Instant before = query.createdBefore();
        return (after == null || !createdAt.isBefore(after)) && (before == null || createdAt.isBefore(before));
    }

    private boolean begins(@Nullable String name) {
        String prefix = query.namePrefix();
        return prefix == null || (name != null && name.startsWith(prefix));
    }

    private static boolean fits(@Nullable String asked, @Nullable String found) {
        return asked == null || asked.equals(found);
    }
}
