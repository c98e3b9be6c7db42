package dev.longhaul.memory;

import dev.longhaul.JobQuery;
import dev.longhaul.job.JobSpec;
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

    /** Whether the time is within the bounds that are set; a time that the job does not have is within none. */
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
