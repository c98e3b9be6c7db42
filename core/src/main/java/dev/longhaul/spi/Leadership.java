package dev.longhaul.spi;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * That its holder does the duties only one process may do, until its term is over and somebody else takes them.
 *
 * @param epoch rises whenever leadership is taken; what a former leader still asks for carries a lower one and changes nothing
 * @param lapsedBefore leases that lapsed at or before this may be ended; null while that would be unsafe, because the store may
 *     have been out of their owners' reach
 */
public record Leadership(
        String holder, long epoch, @Nullable Instant lapsedBefore) {
    /** Refuses what nobody can lead with. */
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
