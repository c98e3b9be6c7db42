package dev.longhaul.testing;

import java.time.Duration;

/** The repetitions and durations of a fault test: small by default, full with {@code -Pfaults}. */
public final class FaultVolume {
    private static final boolean FULL = "full".equals(System.getProperty("longhaul.faults"));

    private FaultVolume() {}

    public static int of(int shortForm, int full) {
        return FULL ? full : shortForm;
    }

    public static Duration seconds(int shortForm, int full) {
        return Duration.ofSeconds(of(shortForm, full));
    }

    public static String name() {
        return FULL ? "full" : "short";
    }

    /** The seed of a test's choices; {@code -Dlonghaul.seed=…} repeats the choices of an earlier run. */
    public static long seed() {
        return Long.getLong("longhaul.seed", System.nanoTime());
    }

    /** Prints the measured numbers of a test. */
    @SuppressWarnings("AnnotateFormatMethod") // Error Prone's annotation is not among the dependencies.
    public static void tell(String format, Object... values) {
        System.out.println("[" + name() + "] " + String.format(format, values));
    }
}
