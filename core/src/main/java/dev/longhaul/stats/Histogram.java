package dev.longhaul.stats;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A histogram of durations; each bucket is about a fifth longer than the one before. Unlike percentiles, histograms
 * can be added.
 */
public final class Histogram {
    private static final double PER_DOUBLING = 4;

    private final TreeMap<Integer, Long> counts = new TreeMap<>();

    public void add(Duration span) {
        add(step(span), 1);
    }

    /** Adds {@code count} durations to the bucket {@code step}. */
    public void add(int step, long count) {
        counts.merge(step, count, Long::sum);
    }

    public void add(Histogram other) {
        other.counts.forEach(this::add);
    }

    /** Counts by bucket, shortest first. */
    public Map<Integer, Long> counts() {
        return counts;
    }

    /** A quantile: the duration that this fraction of all durations does not exceed; null if none was recorded. */
    public @Nullable Duration percentile(double part) {
        long all = counts.values().stream().mapToLong(Long::longValue).sum();
        long rank = Math.max(1, (long) Math.ceil(part * all));
        for (Map.Entry<Integer, Long> one : counts.entrySet()) {
            rank -= one.getValue();
            if (rank <= 0) {
                return length(one.getKey());
            }
        }
        return null;
    }

    private static int step(Duration span) {
        long micros = Math.max(1, span.toNanos() / 1000);
        return (int) Math.ceil(PER_DOUBLING * Math.log((double) micros) / Math.log(2));
    }

    /** The middle of a bucket. */
    private static Duration length(int step) {
        return Duration.ofNanos(Math.round(1000 * Math.pow(2, (step - 0.5) / PER_DOUBLING)));
    }
}
