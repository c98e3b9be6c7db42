package dev.longhaul.stats;

import dev.longhaul.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Statistics in a store. */
public interface StatsStore {
    /** How long counters of fine and of coarse intervals are kept. */
    Duration KEEP_FINE = Duration.ofDays(1);

    Duration KEEP_COARSE = Duration.ofDays(30);

    /** Stores the counts of this process now; this also happens every ten seconds. */
    void flush();

    TimeSeries timeSeries(SeriesQuery query);

    /** Jobs that failed permanently within that time, grouped, most jobs first. */
    Failures failures(Duration within);

    /** The health of the database; empty for a store without one. */
    Optional<DatabaseHealth> database();

    /** This process's view of its database servers, without a query; empty for a store without a database. */
    default Optional<DatabaseLink> databaseLink() {
        return Optional.empty();
    }

    /**
     * Jobs that failed for the same reason.
     *
     * @param type the exception type; for operators only
     * @param message the common message of the jobs; varying parts are replaced by an ellipsis
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
     * The groups of failed jobs.
     *
     * @param complete whether all failed jobs are included; otherwise only the newest {@link #MOST_FAILURES}
     */
    record Failures(List<FailureGroup> groups, boolean complete) {
        public static final int MOST_FAILURES = 10_000;

        public Failures {
            groups = List.copyOf(groups);
        }
    }
}
