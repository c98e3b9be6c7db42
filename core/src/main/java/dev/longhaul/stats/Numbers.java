package dev.longhaul.stats;

import java.util.EnumMap;
import java.util.Map;

/** Counts of runs by outcome, with the distributions of wait times and run times. Mutable. */
public final class Numbers {
    private final Map<Meter.End, Long> ends = new EnumMap<>(Meter.End.class);
    private final Histogram waits = new Histogram();
    private final Histogram runs = new Histogram();

    public void add(Meter.End end) {
        add(end, 1);
    }

    public void add(Meter.End end, long count) {
        ends.merge(end, count, Long::sum);
    }

    public void add(Numbers other) {
        other.ends.forEach(this::add);
        waits.add(other.waits);
        runs.add(other.runs);
    }

    public long count(Meter.End end) {
        return ends.getOrDefault(end, 0L);
    }

    /** Time from due to started. */
    public Histogram waits() {
        return waits;
    }

    /** Time from started to ended. */
    public Histogram runs() {
        return runs;
    }
}
