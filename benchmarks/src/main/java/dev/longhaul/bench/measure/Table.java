package dev.longhaul.bench.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A text table with a title, a head and rows. The first column is aligned left, all others right. */
public final class Table {
    private static final String GAP = "   ";

    private final String title;
    private final List<String[]> rows = new ArrayList<>();

    public Table(String title, String... head) {
        this.title = title;
        rows.add(head);
    }

    /**
     * Adds a row.
     *
     * @param end the last cells of the row, usually a target and a verdict
     * @param begin the first cells
     */
    public Table row(String[] end, String... begin) {
        String[] row = Stream.concat(Arrays.stream(begin), Arrays.stream(end)).toArray(String[]::new);
        int columns = rows.get(0).length;
        if (row.length != columns) {
            throw new IllegalArgumentException("cells: " + row.length + " (expected: " + columns + ")");
        }
        rows.add(row);
        return this;
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        var text = new StringBuilder(title).append('\n');
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                String space = " ".repeat(widths[i] - row[i].length());
                text.append(i == 0 ? "  " : GAP).append(i == 0 ? row[i] + space : space + row[i]);
            }
            text.append('\n');
        }
        return text.toString();
    }
}
