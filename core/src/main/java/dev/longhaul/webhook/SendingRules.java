package dev.longhaul.webhook;

import dev.longhaul.error.Problems;
import java.time.Duration;

/**
 * The retry rules of deliveries.
 *
 * @param firstPause the pause after the first failed try; doubled after each further one
 * @param longestPause the upper limit of the pause
 * @param patience the retry window, after which a delivery is parked
 * @param breakAfter the number of failures in a row that suspends all deliveries to a webhook
 * @param breakFor how long they are suspended; then one delivery is sent to check whether the receiver is available
 * again
 */
public record SendingRules(
        Duration firstPause, Duration longestPause, Duration patience, int breakAfter, Duration breakFor) {
    public static final SendingRules USUAL = new SendingRules(
            Duration.ofSeconds(5), Duration.ofHours(1), Duration.ofHours(24), 5, Duration.ofSeconds(30));

    private static final int MOST_DOUBLINGS = 30;

    public SendingRules {
        new Problems()
                .require(firstPause.compareTo(Duration.ZERO) > 0, "firstPause", firstPause, "> 0")
                .require(longestPause.compareTo(firstPause) >= 0, "longestPause", longestPause, ">= firstPause")
                .require(!patience.isNegative(), "patience", patience, ">= 0")
                .require(breakAfter >= 1, "breakAfter", breakAfter, ">= 1")
                .require(!breakFor.isNegative(), "breakFor", breakFor, ">= 0")
                .throwIfAny();
    }

    /**
     * The pause before the next attempt, after that many failed ones.
     *
     * @param luck from 0 to 1, spreads deliveries that failed together over the second half of the pause
     */
    public Duration pauseAfter(int tries, double luck) {
        int doublings = Math.min(Math.max(tries - 1, 0), MOST_DOUBLINGS);
        double millis = Math.min(firstPause.toMillis() * Math.pow(2, doublings), (double) longestPause.toMillis());
        return Duration.ofMillis(Math.round(millis * (0.5 + luck / 2)));
    }
}
