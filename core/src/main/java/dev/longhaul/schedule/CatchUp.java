package dev.longhaul.schedule;

import dev.longhaul.error.Problems;
import java.time.Duration;

/**
 * Decides which fires a schedule makes up for after it missed them because no process was the leader. A slight delay is
 * no miss: if the oldest due fire is at most {@link #ON_TIME} late, all due fires happen, whatever the policy. {@link
 * Timetable#due} applies these rules.
 *
 * @param max how many missed fires to make up for at most, counted from the latest one backwards
 * @param window how late a fire may be to be made up for
 */
public record CatchUp(Policy policy, int max, Duration window) {
    /** The longest delay that does not count as a miss: longer than a new leader needs to take over. */
    public static final Duration ON_TIME = Duration.ofSeconds(15);

    private static final int MOST = 1000;
    private static final Duration LONGEST_WINDOW = Duration.ofDays(366);

    public static final CatchUp DEFAULT = new CatchUp(Policy.ONCE, 100, Duration.ofDays(1));

    /** The missed fires that are made up for. */
    public enum Policy {
        /** Makes up for none. The latest due fire still happens if it is on time. */
        SKIP,
        /** Fires once, for the latest missed fire time. */
        ONCE,
        /** Makes up for all missed fires, or for the last {@code max} of them. */
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
