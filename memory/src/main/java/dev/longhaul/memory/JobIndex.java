package dev.longhaul.memory;

import dev.longhaul.JobQuery.Order;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All jobs, by id and idempotency key, with waiting jobs in claim order and leased jobs. */
final class JobIndex {
    private static final Comparator<StoredJob> CLAIM_ORDER = Comparator.<StoredJob>comparingInt(
                    job -> -job.spec().priority())
            .thenComparing(StoredJob::runAt)
            .thenComparing(StoredJob::id);

    private final NavigableMap<JobId, StoredJob> byId = new TreeMap<>();
    private final Map<UniqueKey, Map<Integer, StoredJob>> byKey = new HashMap<>();
    private final SortedSet<StoredJob> waiting = new TreeSet<>(CLAIM_ORDER);
    private final Map<JobId, StoredJob> leased = new LinkedHashMap<>();
    private final Map<String, Integer> depths = new HashMap<>();

    /** An idempotency key: at most one job of each version of a definition has it, the oldest job first. */
    private record UniqueKey(String definitionKey, String idempotencyKey) {}

    /** Returns the job if that claim owns it; null otherwise. */
    @Nullable
    StoredJob held(Claim claim) {
        StoredJob job = find(claim.jobId());
        return job != null && job.heldBy(claim) ? job : null;
    }

    @Nullable
    StoredJob find(JobId id) {
        return byId.get(id);
    }

    /** The existing job for this spec: the one with its idempotency key, or with its id. */
    @Nullable
    StoredJob firstLike(JobSpec spec) {
        UniqueKey key = uniqueKey(spec);
        Integer version = spec.keyOfVersion() ? spec.definition().version() : null;
        StoredJob first = key == null ? null : find(key, version);
        return first == null ? byId.get(spec.id()) : first;
    }

    @Nullable
    StoredJob find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        return find(new UniqueKey(definitionKey, idempotencyKey), version);
    }

    private @Nullable StoredJob find(UniqueKey key, @Nullable Integer version) {
        Map<Integer, StoredJob> versions = byKey.getOrDefault(key, Map.of());
        return version == null ? versions.values().stream().findFirst().orElse(null) : versions.get(version);
    }

    Collection<StoredJob> all() {
        return byId.values();
    }

    /** The jobs after {@code cursor}, in that order. */
    Collection<StoredJob> from(@Nullable JobId cursor, Order order) {
        NavigableMap<JobId, StoredJob> ordered = order == Order.OLDEST ? byId : byId.descendingMap();
        return (cursor == null ? ordered : ordered.tailMap(cursor, false)).values();
    }

    /** The waiting jobs, due or not, in claim order. */
    Collection<StoredJob> waiting() {
        return waiting;
    }

    /** The waiting jobs of these definitions in these queues, except paused ones, in claim order. */
    Stream<StoredJob> waiting(
            Settings settings, List<String> queues, @Nullable Set<DefinitionRef> definitions, boolean lastLife) {
        Set<String> open =
                queues.stream().filter(queue -> settings.pauseOf(queue) == null).collect(Collectors.toSet());
        return waiting.stream()
                .filter(job -> open.contains(job.spec().queue()))
                .filter(job ->
                        definitions == null || definitions.contains(job.spec().definition()))
                .filter(job -> job.onLastLife() == lastLife);
    }

    Collection<StoredJob> leased() {
        return leased.values();
    }

    /** How many jobs wait in a queue. */
    int depth(String queue) {
        return depths.getOrDefault(queue, 0);
    }

    void add(StoredJob job) {
        byId.put(job.id(), job);
        UniqueKey key = uniqueKey(job.spec());
        if (key != null) {
            byKey.computeIfAbsent(key, unused -> new LinkedHashMap<>())
                    .put(job.spec().definition().version(), job);
        }
        place(job);
    }

    void remove(StoredJob job) {
        displace(job);
        byId.remove(job.id());
        UniqueKey key = uniqueKey(job.spec());
        if (key != null) {
            byKey.computeIfPresent(key, (unused, versions) -> {
                versions.remove(job.spec().definition().version(), job);
                return versions.isEmpty() ? null : versions;
            });
        }
    }

    /** Runs a step that may change the job's position in the index. */
    void change(StoredJob job, Runnable step) {
        displace(job);
        try {
            step.run();
        } finally {
            place(job);
        }
    }

    private void place(StoredJob job) {
        if (job.state() == JobState.WAITING) {
            waiting.add(job);
            depths.merge(job.spec().queue(), 1, Integer::sum);
        } else if (job.state().leased()) {
            leased.put(job.id(), job);
        }
    }

    private void displace(StoredJob job) {
        if (waiting.remove(job)) {
            depths.merge(job.spec().queue(), -1, Integer::sum);
        }
        leased.remove(job.id());
    }

    private static @Nullable UniqueKey uniqueKey(JobSpec spec) {
        String key = spec.idempotencyKey();
        return key == null ? null : new UniqueKey(spec.definition().key(), key);
    }
}
