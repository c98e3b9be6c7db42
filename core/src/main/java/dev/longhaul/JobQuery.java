package dev.longhaul;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for a list of jobs, in the order of their ids, one page at a time. A field that is null or empty does not
 * filter. A page ends early when its jobs reach {@link Limits#PAGE_BYTES}.
 *
 * @param createdAfter inclusive; clamped to the range of times that every store supports
 * @param createdBefore exclusive; clamped likewise
 * @param finishedAfter inclusive; clamped likewise. A filter by finish time finds only jobs that have ended
 * @param finishedBefore exclusive; clamped likewise
 * @param brief whether to omit the large parts of a job: its params are then the JSON text null, its result and the
 * stack of its failure are missing
 * @param fresh true reads from the primary instead of a read replica; use it before you change the jobs found
 * @param cursor the last id of the previous page
 */
public record JobQuery(
        Set<JobStatus> statuses,
        @Nullable String definitionKey,
        @Nullable String queue,
        @Nullable String namePrefix,
        Map<String, String> labels,
        @Nullable String correlationId,
        @Nullable String createdBy,
        @Nullable Instant createdAfter,
        @Nullable Instant createdBefore,
        @Nullable Instant finishedAfter,
        @Nullable Instant finishedBefore,
        Order order,
        boolean brief,
        boolean fresh,
        int limit,
        @Nullable JobId cursor) {

    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

    public static final int DEFAULT_LIMIT = 50;
    public static final JobQuery ALL = where().build();

    /** The order of the list. */
    public enum Order {
        NEWEST,
        OLDEST
    }

    public JobQuery {
        statuses = Set.copyOf(statuses);
        labels = Map.copyOf(labels);
        createdAfter = countable(createdAfter);
        createdBefore = countable(createdBefore);
        finishedAfter = countable(finishedAfter);
        finishedBefore = countable(finishedBefore);
        var problems = new Problems();
        problems.require(limit >= 1 && limit <= Limits.PAGE, "limit", limit, "1 to " + Limits.PAGE);
        text(problems, "definitionKey", definitionKey);
        text(problems, "queue", queue);
        text(problems, "namePrefix", namePrefix);
        text(problems, "correlationId", correlationId);
        text(problems, "createdBy", createdBy);
        labels.forEach((key, value) -> text(problems, Text.storable(key) ? "labels." + key : "labels", key + value));
        problems.throwIfAny();
    }

    /** Whether the query filters by status only. */
    public boolean onlyByStatus() {
        return forCounting()
                .equals(where().statuses(statuses.toArray(JobStatus[]::new)).build());
    }

    /** The same query from the start, with the default order and limit. */
    public JobQuery forCounting() {
        return new JobQuery(
                statuses,
                definitionKey,
                queue,
                namePrefix,
                labels,
                correlationId,
                createdBy,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore,
                Order.NEWEST,
                false,
                false,
                DEFAULT_LIMIT,
                null);
    }

    private static @Nullable Instant countable(@Nullable Instant at) {
        if (at == null) {
            return null;
        }
        return at.isBefore(EARLIEST) ? EARLIEST : at.isAfter(LATEST) ? LATEST : at;
    }

    /** Rejects text that no store can keep, because no job can have such text. */
    private static void text(Problems problems, String field, @Nullable String value) {
        problems.require(value == null || Text.storable(value), field, "text with a NUL", "storable text");
    }

    /** Starts a query without filters. */
    public static Builder where() {
        return new Builder();
    }

    /** Collects the filters of a {@link JobQuery}. */
    public static final class Builder {
        private Set<JobStatus> statuses = Set.of();
        private @Nullable String definitionKey;
        private @Nullable String queue;
        private @Nullable String namePrefix;
        private Map<String, String> labels = Map.of();
        private @Nullable String correlationId;
        private @Nullable String createdBy;
        private @Nullable Instant createdAfter;
        private @Nullable Instant createdBefore;
        private @Nullable Instant finishedAfter;
        private @Nullable Instant finishedBefore;
        private Order order = Order.NEWEST;
        private boolean brief;
        private boolean fresh;
        private int limit = DEFAULT_LIMIT;
        private @Nullable JobId cursor;

        private Builder() {}

        public Builder statuses(JobStatus... only) {
            this.statuses = Set.copyOf(List.of(only));
            return this;
        }

        public Builder definitionKey(@Nullable String definitionKey) {
            this.definitionKey = definitionKey;
            return this;
        }

        public Builder queue(@Nullable String queue) {
            this.queue = queue;
            return this;
        }

        public Builder namePrefix(@Nullable String namePrefix) {
            this.namePrefix = namePrefix;
            return this;
        }

        public Builder labels(Map<String, String> labels) {
            this.labels = labels;
            return this;
        }

        public Builder correlationId(@Nullable String correlationId) {
            this.correlationId = correlationId;
            return this;
        }

        public Builder createdBy(@Nullable String createdBy) {
            this.createdBy = createdBy;
            return this;
        }

        public Builder createdAfter(@Nullable Instant createdAfter) {
            this.createdAfter = createdAfter;
            return this;
        }

        public Builder createdBefore(@Nullable Instant createdBefore) {
            this.createdBefore = createdBefore;
            return this;
        }

        public Builder finishedAfter(@Nullable Instant finishedAfter) {
            this.finishedAfter = finishedAfter;
            return this;
        }

        public Builder finishedBefore(@Nullable Instant finishedBefore) {
            this.finishedBefore = finishedBefore;
            return this;
        }

        public Builder order(Order order) {
            this.order = order;
            return this;
        }

        public Builder brief(boolean brief) {
            this.brief = brief;
            return this;
        }

        public Builder fresh(boolean fresh) {
            this.fresh = fresh;
            return this;
        }

        public Builder limit(int limit) {
            this.limit = limit;
            return this;
        }

        public Builder cursor(@Nullable JobId cursor) {
            this.cursor = cursor;
            return this;
        }

        public JobQuery build() {
            return new JobQuery(
                    statuses,
                    definitionKey,
                    queue,
                    namePrefix,
                    labels,
                    correlationId,
                    createdBy,
                    createdAfter,
                    createdBefore,
                    finishedAfter,
                    finishedBefore,
                    order,
                    brief,
                    fresh,
                    limit,
                    cursor);
        }
    }
}
