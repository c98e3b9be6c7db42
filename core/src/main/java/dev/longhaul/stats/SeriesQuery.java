package dev.longhaul.stats;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.time.Instant;

/**
 * A query for statistics of the last {@code range}, in steps suitable for a chart.
 *
 * @param by how series are grouped
 */
public record SeriesQuery(Duration range, By by) {
    private static final Duration SHORTEST = Duration.ofMinutes(1);
    private static final int MOST_POINTS = 360;

    /** The grouping of series. */
    public enum By {
        NOTHING,
        QUEUE,
        DEFINITION
    }

    public SeriesQuery {
        new Problems()
                .require(
                        range.compareTo(SHORTEST) >= 0 && range.compareTo(StatsStore.KEEP_COARSE) <= 0,
                        "rangeSeconds",
                        range.toSeconds(),
                        "60 to " + StatsStore.KEEP_COARSE.toSeconds())
                .throwIfAny();
    }

    /** The interval of the stored counters to use, in seconds. */
    public int stored() {
        return range.toSeconds() / Meter.FINE <= MOST_POINTS ? Meter.FINE : Meter.COARSE;
    }

    /** Seconds between two points: a multiple of the stored interval. */
    public int step() {
        long points = range.toSeconds() / stored();
        return stored() * (int) Math.max(1, (points + MOST_POINTS - 1) / MOST_POINTS);
    }

    /** The start of the first point. */
    public Instant from(Instant now) {
        long last = Math.floorDiv(now.getEpochSecond(), step()) * step();
        return Instant.ofEpochSecond(last - Math.floorDiv(range.toSeconds(), step()) * step());
    }
}
