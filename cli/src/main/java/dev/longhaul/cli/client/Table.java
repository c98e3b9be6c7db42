package dev.longhaul.cli.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Aligned columns. On a terminal they fit its width: the widest are cut, but for those that must stay whole, such as ids. */
final class Table {
    private static final String GAP = "  ";
    private static final int NARROWEST = 6;

    private final List<String[]> rows = new ArrayList<>();
    private final Set<Integer> whole = new TreeSet<>();
    private final int columns;

    Table(String... header) {
        this.columns = header.length;
        rows.add(header);
    }

    /** Says that a column is never cut. */
    Table whole(int column) {
        whole.add(column);
        return this;
    }

    Table row(Object... cells) {
        rows.add(Arrays.stream(cells)
                .map(cell -> Screen.withoutControls(cell.toString().replaceAll("\\s+", " ")))
                .toArray(String[]::new));
        return this;
    }

    void print(Screen screen) {
        int[] widths = widths(screen.width());
        for (String[] row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String cell = cut(row[i], widths[i]);
                line.append(cell).append(" ".repeat(widths[i] - length(cell))).append(GAP);
            }
            screen.out().println(line.toString().stripTrailing());
        }
        screen.out().flush();
    }

    private int[] widths(int available) {
        var widths = new int[columns];
        for (String[] row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], length(row[i]));
            }
        }
        int most = available - GAP.length() * (columns - 1);
        while (available > 0 && Arrays.stream(widths).sum() > most) {
            int widest = widest(widths);
            if (widest < 0) {
                break;
            }
            widths[widest]--;
        }
        return widths;
    }

    private int widest(int[] widths) {
        int widest = -1;
        for (int i = 0; i < columns; i++) {
            if (!whole.contains(i) && widths[i] > NARROWEST && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private static String cut(String text, int width) {
        return length(text) <= width ? text : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
    }
}
