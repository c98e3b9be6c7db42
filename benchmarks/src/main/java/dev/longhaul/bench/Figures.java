package dev.longhaul.bench;

import java.util.List;
import java.util.Locale;

/** Measured values of one kind, in the order they were measured. */
record Figures(List<Double> values) {
    Figures {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("figures: none (expected: at least one)");
        }
    }

    double first() {
        return values.get(0);
    }

    double last() {
        return values.get(values.size() - 1);
    }

    double median() {
        List<Double> sorted = sorted();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The smallest value that {@code percent} of all do not exceed. */
    double percentile(double percent) {
        int rank = (int) Math.ceil(percent / 100 * values.size());
        return sorted().get(Math.max(rank, 1) - 1);
    }

    double min() {
        return sorted().get(0);
    }

    double max() {
        return percentile(100);
    }

    /** Smallest to largest, as whole numbers. */
    String spread() {
        return whole(min()) + " - " + whole(max());
    }

    static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    static String millis(double value) {
        return String.format(Locale.ROOT, "%.2f ms", value);
    }

    private List<Double> sorted() {
        return values.stream().sorted().toList();
    }
}
