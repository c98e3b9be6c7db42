package dev.longhaul.event;

import dev.longhaul.error.Problems;
import dev.longhaul.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for events of a job, in the order of their positions.
 *
 * @param after only positions above this one; 0 reads from the start
 * @param run only this run's events; null means all
 * @param fromSequence only sequences from this one on, together with {@code run}; 0 means all
 * @param from only events at or after this time
 * @param types only these; empty means all
 */
public record EventQuery(
        JobId jobId,
        int after,
        @Nullable Integer run,
        int fromSequence,
        @Nullable Instant from,
        Set<EventType> types,
        int limit) {

    public static final int LARGEST_PAGE = 1000;

    public EventQuery {
        types = Set.copyOf(types);
        new Problems()
                .require(after >= 0, "after", after, ">= 0")
                .require(fromSequence >= 0, "fromSequence", fromSequence, ">= 0")
                .require(fromSequence == 0 || run != null, "fromSequence", fromSequence, "a run with it")
                .require(limit >= 1 && limit <= LARGEST_PAGE, "limit", limit, "1 to " + LARGEST_PAGE)
                .throwIfAny();
    }

    public static EventQuery of(JobId jobId) {
        return new EventQuery(jobId, 0, null, 0, null, Set.of(), LARGEST_PAGE);
    }

    public EventQuery after(int position) {
        return new EventQuery(jobId, position, run, fromSequence, from, types, limit);
    }

    public EventQuery fromSequence(int run, int sequence) {
        return new EventQuery(jobId, after, run, sequence, from, types, limit);
    }

    public EventQuery from(Instant from) {
        return new EventQuery(jobId, after, run, fromSequence, from, types, limit);
    }

    public EventQuery types(EventType... types) {
        return new EventQuery(jobId, after, run, fromSequence, from, Set.copyOf(List.of(types)), limit);
    }

    public EventQuery limit(int limit) {
        return new EventQuery(jobId, after, run, fromSequence, from, types, limit);
    }

    /** Whether an event of this job matches the query. */
    public boolean matches(JobEvent event) {
        return event.position() > after
                && (run == null || event.run() == run)
                && event.sequence() >= fromSequence
                && (from == null || !event.at().isBefore(from))
                && (types.isEmpty() || types.contains(event.type()));
    }
}
