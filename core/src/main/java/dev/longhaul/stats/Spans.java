package dev.longhaul.stats;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How long things took: a count per length, each about a fifth longer than the one before. Two of them can be added up, which
 * percentiles cannot.
 */
public final class Spans {
    private static final double PER_DOUBLING = 4;

    private final TreeMap<Integer, Long> counts = new TreeMap<>();

    public void add(Duration span) {
        add(step(span), 1);
    }

    /** Adds what was counted elsewhere. */
    public void add(int step, long count) {
        counts.merge(step, count, Long::sum);
    }

    public void add(Spans other) {
        other.counts.forEach(this::add);
    }

    /** Counts by step, shortest first. */
    public Map<Integer, Long> counts() {
        return counts;
    }

    /** The length that this part of all is not longer than; null when there are none. */
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

    /** The middle of a step. */
    private static Duration length(int step) {
        return Duration.ofNanos(Math.round(1000 * Math.pow(2, (step - 0.5) / PER_DOUBLING)));
    }
}
