package dev.longhaul.stats;

import dev.longhaul.work.RunEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts the ends of runs in this process, by time, queue and definition: in fine intervals for a day, in coarse ones
 * for a month.
 */
public final class Meter {
    /** Seconds of a fine interval. */
    public static final int FINE = 10;

    public static final int COARSE = 300;

    private final Map<BucketKey, Numbers> counted = new HashMap<>();
    private final Set<BucketKey> changed = new HashSet<>();
    private Instant newest = Instant.EPOCH;

    /** The counted ways in which a run ends. */
    public enum End {
        SUCCEEDED,
        FAILED,
        RETRIED,
        CANCELLED;

        /** How that end is counted; null when it says nothing about the job, as a snooze does. */
        public static @Nullable End of(RunEnd end) {
            return switch (end.state()) {
                case SUCCEEDED -> SUCCEEDED;
                case FAILED -> FAILED;
                case CANCELLED -> CANCELLED;
                case WAITING -> end.runFailure() == null ? null : RETRIED;
                case CREATED, RUNNING, CANCELLING -> null;
            };
        }
    }

    /** The interval, queue and definition of a counter. */
    public record BucketKey(int seconds, Instant at, String queue, String definitionKey) {}

    /** A run that has ended. */
    public record Ended(
            Instant at,
            String queue,
            String definitionKey,
            End end,
            Instant dueAt,
            @Nullable Instant startedAt) {}

    public synchronized void count(Ended run) {
        newest = run.at().isAfter(newest) ? run.at() : newest;
        for (int seconds : new int[] {FINE, COARSE}) {
            long at = Math.floorDiv(run.at().getEpochSecond(), seconds) * seconds;
            var bucket = new BucketKey(seconds, Instant.ofEpochSecond(at), run.queue(), run.definitionKey());
            changed.add(bucket);
            Numbers numbers = counted.computeIfAbsent(bucket, key -> new Numbers());
            numbers.add(run.end());
            Instant started = run.startedAt();
            if (started != null) {
                numbers.waits().add(positive(Duration.between(run.dueAt(), started)));
                numbers.runs().add(positive(Duration.between(started, run.at())));
            }
        }
    }

    private static Duration positive(Duration span) {
        return span.isNegative() ? Duration.ZERO : span;
    }

    /** A copy of all counters. */
    public synchronized Map<BucketKey, Numbers> counted() {
        return copies(counted.keySet());
    }

    /** A copy of the counters that have changed since the last call. */
    public synchronized Map<BucketKey, Numbers> changed() {
        Map<BucketKey, Numbers> copies = copies(changed);
        changed.clear();
        return copies;
    }

    /** Marks these counters as changed again, because storing them failed. */
    public synchronized void notKept(Set<BucketKey> keys) {
        keys.stream().filter(counted::containsKey).forEach(changed::add);
    }

    private Map<BucketKey, Numbers> copies(Set<BucketKey> keys) {
        var copies = new HashMap<BucketKey, Numbers>();
        for (BucketKey key : keys) {
            var sum = new Numbers();
            sum.add(Objects.requireNonNull(counted.get(key)));
            copies.put(key, sum);
        }
        return copies;
    }

    /**
     * Removes counters that are older than these durations. Ages are relative to the newest counter, because all times
     * are by the store's clock.
     */
    public synchronized void forget(Duration fine, Duration coarse) {
        counted.keySet().removeIf(key -> {
            Duration keep = key.seconds() == FINE ? fine : coarse;
            return key.at().plusSeconds(2L * key.seconds()).plus(keep).isBefore(newest);
        });
        changed.retainAll(counted.keySet());
    }
}
