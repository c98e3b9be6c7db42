package dev.longhaul.server;

/** How much the fault tests do: the short form is part of every build, the full one runs with {@code -Pfaults}. */
final class FaultVolume {
    private static final boolean FULL = "full".equals(System.getProperty("longhaul.faults"));

    private FaultVolume() {}

    static int of(int shortForm, int full) {
        return FULL ? full : shortForm;
    }

    /** The seed of a test's choices; {@code -Dlonghaul.seed=…} repeats those of an earlier run. */
    static long seed() {
        return Long.getLong("longhaul.seed", System.nanoTime());
    }

    /** Prints the figures of a test. */
    @SuppressWarnings("AnnotateFormatMethod") // The annotation is not among the dependencies.
    static void tell(String figures, Object... values) {
        System.out.println((FULL ? "[full] " : "[short] ") + String.format(figures, values));
    }
}
