package dev.longhaul.stats;

import java.util.EnumMap;
import java.util.Map;

/** How many runs ended how, how long their jobs had waited and how long they ran. Grows as more is added. */
public final class Numbers {
    private final Map<Meter.End, Long> ends = new EnumMap<>(Meter.End.class);
    private final Spans waits = new Spans();
    private final Spans runs = new Spans();

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

    /** From due to started. */
    public Spans waits() {
        return waits;
    }

    /** From started to ended. */
    public Spans runs() {
        return runs;
    }
}
