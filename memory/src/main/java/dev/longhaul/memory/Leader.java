package dev.longhaul.memory;

import dev.longhaul.spi.Leadership;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The leader's term, and since when leaders have called the store without a long gap. The caller holds the store's
 * lock.
 */
final class Leader {
    private String holder = "";
    private long epoch;
    private Instant termUntil = Instant.MIN;
    private @Nullable Instant lastCallAt;
    private Instant steadySince = Instant.MIN;

    Optional<Leadership> lead(String candidate, Duration term, Duration lease, Instant now) {
        boolean over = !termUntil.isAfter(now);
        if (!over && !holder.equals(candidate)) {
            return Optional.empty();
        }
        epoch += over ? 1 : 0;
        holder = candidate;
        termUntil = now.plus(term);
        return Optional.of(new Leadership(holder, epoch, expiredBefore(lease, now)));
    }

    /**
     * Returns a time: the owner of a lease that expired before that time had a whole lease to renew it while the store
     * was available. Returns null while that cannot be proven.
     */
    private @Nullable Instant expiredBefore(Duration lease, Instant now) {
        Instant before = lastCallAt;
        lastCallAt = now;
        if (before == null || before.plus(lease.dividedBy(3)).isBefore(now)) {
            steadySince = now;
        }
        if (!steadySince.plus(lease).isAfter(now)) {
            return now;
        }
        return before != null && !before.plus(lease).isAfter(now) ? before : null;
    }

    void resign(Leadership leadership, Instant now) {
        if (leads(leadership) && termUntil.isAfter(now)) {
            termUntil = now;
        }
    }

    boolean leads(Leadership leadership) {
        return holder.equals(leadership.holder()) && epoch == leadership.epoch();
    }
}
