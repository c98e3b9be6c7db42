package dev.longhaul.internal.text;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Creates UUIDs of version 7 (RFC 9562): milliseconds, then a counter in the 12 bits that follow, then 62 random bits.
 * The counter makes the ids of one generator strictly increasing; when it is exhausted within a millisecond, the next
 * millisecond is borrowed. If the clock is set back by an hour or more, the generator follows it.
 */
public final class Uuid7 {
    private static final int COUNTER_BITS = 12;
    /** A clock this far behind the generator was set back: the generator never borrows so many milliseconds. */
    private static final long SET_BACK = TimeUnit.HOURS.toMillis(1) << COUNTER_BITS;

    private static final SecureRandom SEEDS = new SecureRandom();

    private final ThreadLocal<SplittableRandom> random =
            ThreadLocal.withInitial(() -> new SplittableRandom(SEEDS.nextLong()));
    private final AtomicLong last = new AtomicLong();
    private final LongSupplier millis;

    public Uuid7(LongSupplier millis) {
        this.millis = millis;
    }

    public UUID next() {
        long floor = millis.getAsLong() << COUNTER_BITS;
        long ticks = last.accumulateAndGet(floor, Uuid7::after);
        long time = ticks >>> COUNTER_BITS;
        long counter = ticks & ((1 << COUNTER_BITS) - 1);
        long high = (time << 16) | 0x7000 | counter;
        long low = (random.get().nextLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    private static long after(long previous, long now) {
        return previous - now >= SET_BACK ? now : Math.max(previous + 1, now);
    }

    /** The smallest UUID that a generator can return at that millisecond: the lower bound of a time range over ids. */
    public static UUID lowest(long epochMillis) {
        return new UUID(epochMillis << 16, 0);
    }
}
