package dev.longhaul.schedule;

import dev.longhaul.error.Problems;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a schedule does about the fires it missed while nobody led. Fires that are hardly late are no misses: as long as the oldest
 * one due is within {@link #ON_TIME}, all of them happen, whatever the policy.
 *
 * @param max how many fires are made up for at most; the last ones are
 * @param window how late a fire may be made up for
 */
public record CatchUp(Policy policy, int max, Duration window) {
    /** How late a fire may be and still be on time: longer than it takes a new leader to take over. */
    public static final Duration ON_TIME = Duration.ofSeconds(15);

    private static final int MOST = 1000;
    private static final Duration LONGEST_WINDOW = Duration.ofDays(366);

    public static final CatchUp DEFAULT = new CatchUp(Policy.ONCE, 100, Duration.ofDays(1));

    /** Which of the missed fires happen after all. */
    public enum Policy {
        /** None. The last one happens if it is on time. */
        SKIP,
        /** The last one, for all of them. */
        ONCE,
        /** All, or the last {@code max} of them. */
        ALL
    }

    public CatchUp {
        boolean fits = !window.isNegative() && window.compareTo(LONGEST_WINDOW) <= 0;
        new Problems()
                .require(max >= 1 && max <= MOST, "catchUp.max", max, "1 to " + MOST)
                .require(fits, "catchUp.windowSeconds", window.toSeconds(), "0 to " + LONGEST_WINDOW.toSeconds())
                .throwIfAny();
    }

    /**
     * The fire times that are to fire at {@code now}, in order. However long nobody looked, this takes no longer than a few thousand steps.
     *
     * @param after its last fire time, or since when it has been waiting for the first
     * @param runs how often it has fired
     */
    public List<Instant> due(Timetable timetable, Instant after, Instant now, long runs) {
        return fires(timetable, after, now).stream()
                .limit(timetable.runsLeft(runs))
                .toList();
    }

    private List<Instant> fires(Timetable timetable, Instant after, Instant now) {
        Instant onTime = now.minus(ON_TIME);
        Optional<Instant> oldest = timetable.nextAfter(after);
        if (oldest.isEmpty() || !oldest.get().isBefore(onTime)) {
            return timetable.lastFires(after, now, Integer.MAX_VALUE);
        }
        Instant opens = policy == Policy.SKIP || window.compareTo(ON_TIME) < 0 ? onTime : now.minus(window);
        // A fire exactly as late as may be still counts.
        Instant from = opens.minusNanos(1).isAfter(after) ? opens.minusNanos(1) : after;
        return timetable.lastFires(from, now, policy == Policy.ALL ? max : 1);
    }
}
