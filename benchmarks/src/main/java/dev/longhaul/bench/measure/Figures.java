package dev.longhaul.bench.measure;

import java.util.List;
import java.util.Locale;

/** Measured values of one kind, in the order they were measured. */
public record Figures(List<Double> values) {
    public Figures {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("measured values: none (expected: at least one)");
        }
    }

    public double first() {
        return values.get(0);
    }

    public double last() {
        return values.get(values.size() - 1);
    }

    public double median() {
        List<Double> sorted = sorted();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** Returns the smallest value that {@code percent} of all values do not exceed. */
    public double percentile(double percent) {
        int rank = (int) Math.ceil(percent / 100 * values.size());
        return sorted().get(Math.max(rank, 1) - 1);
    }

    public double min() {
        return sorted().get(0);
    }

    public double max() {
        return percentile(100);
    }

    /** Returns the smallest and the largest value, as whole numbers. */
    public String spread() {
        return whole(min()) + " - " + whole(max());
    }

    public static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    public static String millis(double value) {
        return String.format(Locale.ROOT, "%.2f ms", value);
    }

    private List<Double> sorted() {
        return values.stream().sorted().toList();
    }
}
