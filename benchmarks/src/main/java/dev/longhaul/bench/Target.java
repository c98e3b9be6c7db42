package dev.longhaul.bench;

import java.util.Locale;

/** What a figure must reach to pass. */
record Target(double bound, boolean atLeast) {
    static Target atLeast(double bound) {
        return new Target(bound, true);
    }

    static Target atMost(double bound) {
        return new Target(bound, false);
    }

    boolean reachedBy(double value) {
        return atLeast ? value >= bound : value <= bound;
    }

    /** The last two cells of a row: the target, and whether {@code value} reaches it. */
    String[] judge(double value) {
        String text = String.format(Locale.ROOT, "%s %.2f", atLeast ? ">=" : "<=", bound);
        return new String[] {text, reachedBy(value) ? "pass" : "MISS"};
    }
}
