package dev.longhaul.schedule;

import dev.longhaul.error.Problems;
import java.time.Duration;

/**
 * What a schedule does about the fires it missed while no process was the leader. Fires that are only slightly late
 * are not missed: as long as the oldest due one is within {@link #ON_TIME}, all of them happen, whatever the policy.
 * {@link Timetable#due} applies it.
 *
 * @param max the most fires to make up for; the last ones are
 * @param window how late a fire may be and still be made up for
 */
public record CatchUp(Policy policy, int max, Duration window) {
    /** How late a fire may be and still be on time: longer than it takes a new leader to take over. */
    public static final Duration ON_TIME = Duration.ofSeconds(15);

    private static final int MOST = 1000;
    private static final Duration LONGEST_WINDOW = Duration.ofDays(366);

    public static final CatchUp DEFAULT = new CatchUp(Policy.ONCE, 100, Duration.ofDays(1));

    /** Which of the missed fires are made up for. */
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
}
