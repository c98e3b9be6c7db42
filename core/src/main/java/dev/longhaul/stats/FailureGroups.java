package dev.longhaul.stats;

import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Groups failed jobs by definition, code and message, where numbers and ids in a message do not tell it from another. */
public final class FailureGroups {
    private static final Pattern VARYING = Pattern.compile("\\b[0-9a-fA-F-]*[0-9][0-9a-fA-F-]*\\b");
    private static final int MOST_GROUPS = 50;

    private final Map<Cause, StatsStore.FailureGroup> groups = new LinkedHashMap<>();

    private record Cause(String definitionKey, String code, String message) {}

    public void add(JobId id, String definitionKey, Failure failure, Instant at) {
        String message = failure.message();
        var cause = new Cause(
                definitionKey, failure.code(), VARYING.matcher(message).replaceAll("#"));
        groups.merge(
                cause, new StatsStore.FailureGroup(definitionKey, failure.code(), message, 1, id, at), (one, other) -> {
                    var latest = other.latestAt().isBefore(one.latestAt()) ? one : other;
                    return new StatsStore.FailureGroup(
                            definitionKey,
                            failure.code(),
                            latest.message(),
                            one.jobs() + other.jobs(),
                            latest.latest(),
                            latest.latestAt());
                });
    }

    /** Those with the most jobs. */
    public List<StatsStore.FailureGroup> largest() {
        return groups.values().stream()
                .sorted(Comparator.comparingLong(StatsStore.FailureGroup::jobs)
                        .thenComparing(StatsStore.FailureGroup::latestAt)
                        .reversed())
                .limit(MOST_GROUPS)
                .toList();
    }
}
