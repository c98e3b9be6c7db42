package dev.longhaul.stats;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.time.Instant;

/**
 * Which numbers: of the last {@code range}, in steps that make a readable chart.
 *
 * @param by what each series is of
 */
public record SeriesQuery(Duration range, By by) {
    private static final Duration SHORTEST = Duration.ofMinutes(1);
    private static final int MOST_POINTS = 360;

    /** What is told apart. */
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

    /** The seconds of the stored numbers to use. */
    public int stored() {
        return range.toSeconds() / Meter.FINE <= MOST_POINTS ? Meter.FINE : Meter.COARSE;
    }

    /** The seconds from one point to the next: a multiple of what is stored. */
    public int step() {
        long points = range.toSeconds() / stored();
        return stored() * (int) Math.max(1, (points + MOST_POINTS - 1) / MOST_POINTS);
    }

    /** When the first point begins. */
    public Instant from(Instant now) {
        long last = Math.floorDiv(now.getEpochSecond(), step()) * step();
        return Instant.ofEpochSecond(last - Math.floorDiv(range.toSeconds(), step()) * step());
    }
}
