package dev.longhaul.stats;

import dev.longhaul.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store remembers of how things went. */
public interface StatsStore {
    /** How long the finer and the coarser numbers are kept. */
    Duration KEEP_FINE = Duration.ofDays(1);

    Duration KEEP_COARSE = Duration.ofDays(30);

    /** Writes down what this process has counted so far; otherwise it does so every ten seconds. */
    void flush();

    TimeSeries timeSeries(SeriesQuery query);

    /** What has failed for good within that time, grouped, most jobs first. */
    Failures failures(Duration within);

    /** How the database is; empty where there is none. */
    Optional<DatabaseHealth> database();

    /** What this process has seen of its database servers, without asking them; empty where there are none. */
    default Optional<DatabaseLink> databaseLink() {
        return Optional.empty();
    }

    /**
     * Jobs that failed for the same reason.
     *
     * @param type of the exception; for operators only
     * @param message of all jobs; varying parts are replaced by an ellipsis
     */
    record FailureGroup(
            String definitionKey,
            String code,
            @Nullable String type,
            String message,
            long jobs,
            JobId latest,
            Instant latestAt) {}

    /**
     * All groups.
     *
     * @param complete whether every failed job was looked at; else only the newest {@link #MOST_FAILURES}
     */
    record Failures(List<FailureGroup> groups, boolean complete) {
        public static final int MOST_FAILURES = 10_000;

        public Failures {
            groups = List.copyOf(groups);
        }
    }
}
