package dev.longhaul.process.supervise;

import java.util.Arrays;

/** Splits a stream of bytes without splitting UTF-8 characters. Bytes that are not UTF-8 pass unchanged. */
final class Utf8Chunks {
    private static final int CONTINUES = 0b1000_0000;
    private static final int CONTINUES_MASK = 0b1100_0000;
    private static final int LONGEST = 4;

    private byte[] kept = new byte[0];

    /** Returns the bytes received so far, without an incomplete last character. */
    byte[] next(byte[] more) {
        byte[] all = Arrays.copyOf(kept, kept.length + more.length);
        System.arraycopy(more, 0, all, kept.length, more.length);
        int whole = all.length - begun(all);
        kept = Arrays.copyOfRange(all, whole, all.length);
        return Arrays.copyOf(all, whole);
    }

    byte[] rest() {
        return kept;
    }

    /** Returns the number of bytes at the end that belong to an incomplete character. */
    private static int begun(byte[] all) {
        for (int back = 1; back < LONGEST && back <= all.length; back++) {
            byte one = all[all.length - back];
            if ((one & CONTINUES_MASK) != CONTINUES) {
                return length(one) > back ? back : 0;
            }
        }
        return 0;
    }

    private static int length(byte first) {
        int ones = Integer.numberOfLeadingZeros(~first << 24);
        return ones >= 2 && ones <= LONGEST ? ones : 1;
    }
}
