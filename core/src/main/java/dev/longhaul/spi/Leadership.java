package dev.longhaul.spi;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A leadership term: its holder runs the maintenance tasks that only one process may run.
 *
 * @param epoch rises whenever leadership is taken; a request of a former leader carries a lower one and changes
 * nothing
 * @param lapsedBefore leases that expired at or before this time may be ended; null while that is unsafe, because
 * workers may have been unable to reach the store
 */
public record Leadership(
        String holder, long epoch, @Nullable Instant lapsedBefore) {
    /** Rejects invalid arguments of {@link Upkeep#lead}. */
    public static void check(String holder, Duration term, Duration lease) {
        boolean named = !holder.isEmpty() && holder.length() <= Limits.NAME && Text.storable(holder);
        new Problems()
                .require(named, "holder", holder, "1 to " + Limits.NAME + " characters, no NUL")
                .require(positive(term), "term", term, "> 0")
                .require(positive(lease), "lease", lease, "> 0")
                .throwIfAny();
    }

    private static boolean positive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }
}
