package dev.longhaul.bench.measure;

import java.util.Locale;

/** The bound that a measured value must reach to pass. */
public record Target(double bound, boolean atLeast) {
    public static Target atLeast(double bound) {
        return new Target(bound, true);
    }

    public static Target atMost(double bound) {
        return new Target(bound, false);
    }

    boolean reachedBy(double value) {
        return atLeast ? value >= bound : value <= bound;
    }

    /** Returns the last two cells of a row: the target, and whether {@code value} reaches it. */
    public String[] judge(double value) {
        String text = String.format(Locale.ROOT, "%s %.2f", atLeast ? ">=" : "<=", bound);
        return new String[] {text, reachedBy(value) ? "pass" : "MISS"};
    }
}
