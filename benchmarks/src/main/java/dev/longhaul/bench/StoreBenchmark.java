package dev.longhaul.bench;

/** Measures the store as shipped; {@code longhaul bench store} starts it. */
public final class StoreBenchmark {
    private StoreBenchmark() {}

    public static void main(String[] args) throws Exception {
        System.err.println("bench store: the store benchmark is not written yet");
    }
}
