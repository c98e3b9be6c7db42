package dev.longhaul.schedule;

import java.util.stream.IntStream;

/** Sets of the small numbers in cron fields, as bits of a long: the next member is found without a loop. */
final class Bits {
    /** Returned by {@link #next} when there is no further member. */
    static final int NONE = Long.SIZE;

    private Bits() {}

    static long of(int member) {
        return 1L << member;
    }

    static long range(int first, int last) {
        return (-1L << first) & (-1L >>> (Long.SIZE - 1 - last));
    }

    static long range(int first, int last, int step) {
        long bits = 0;
        for (int member = first; member <= last; member += step) {
            bits |= of(member);
        }
        return bits;
    }

    static boolean has(long bits, int member) {
        return (bits & of(member)) != 0;
    }

    /** The smallest member that is not below {@code from}. */
    static int next(long bits, int from) {
        return Long.numberOfTrailingZeros(bits & (-1L << from));
    }

    static IntStream members(long bits) {
        return IntStream.range(0, Long.SIZE).filter(member -> has(bits, member));
    }
}
