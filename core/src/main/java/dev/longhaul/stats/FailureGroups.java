package dev.longhaul.stats;

import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.stats.StatsStore.FailureGroup;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Groups failed jobs by definition, error code, exception type and message. Numbers, ids and quoted text in a message
 * do not separate groups; exit codes and signals do.
 */
public final class FailureGroups {
    private static final Pattern VARYING =
            Pattern.compile("\\b[0-9a-fA-F-]*[0-9][0-9a-fA-F-]*\\b|(?<!\\w)'[^']*'(?!\\w)|\"[^\"]*\"|`[^`]*`");
    private static final String ELLIPSIS = "…";
    /** Error codes in whose messages the number is the cause. */
    private static final Set<String> NUMBERED = Set.of(Failure.EXIT_CODE, Failure.SIGNAL);

    private static final int MOST_GROUPS = 50;

    private final Map<Cause, FailureGroup> groups = new LinkedHashMap<>();

    private record Cause(
            String definitionKey, String code, @Nullable String type, String fingerprint) {}

    public void add(JobId id, String definitionKey, Failure failure, Instant at) {
        String fingerprint = NUMBERED.contains(failure.code())
                ? failure.message()
                : VARYING.matcher(failure.message()).replaceAll(ELLIPSIS);
        var group = new FailureGroup(definitionKey, failure.code(), failure.type(), failure.message(), 1, id, at);
        groups.merge(
                new Cause(definitionKey, failure.code(), failure.type(), fingerprint),
                group,
                (one, other) -> together(one, other, fingerprint));
    }

    /**
     * Merges two groups. The merged message is the common message, or the common parts of different ones, so that it
     * does not depend on which job failed last.
     */
    private static FailureGroup together(FailureGroup one, FailureGroup other, String fingerprint) {
        var latest = other.latestAt().isBefore(one.latestAt()) ? one : other;
        return new FailureGroup(
                one.definitionKey(),
                one.code(),
                one.type(),
                one.message().equals(other.message()) ? one.message() : fingerprint,
                one.jobs() + other.jobs(),
                latest.latest(),
                latest.latestAt());
    }

    /** The groups with the most jobs. */
    public List<FailureGroup> largest() {
        return groups.values().stream()
                .sorted(Comparator.comparingLong(FailureGroup::jobs)
                        .thenComparing(FailureGroup::latestAt)
                        .reversed())
                .limit(MOST_GROUPS)
                .toList();
    }
}
