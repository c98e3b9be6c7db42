package dev.longhaul.cli.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Aligned columns. On a terminal they fit its width: the least important columns are left out while the others would become
 * unreadable, then the widest are cut, except those that must stay whole, such as ids.
 */
final class Table {
    private static final String GAP = "  ";
    /** A column that would have to be narrower makes room by leaving out another one. */
    private static final int READABLE = 10;

    private static final int NARROWEST = 3;

    private final List<String[]> rows = new ArrayList<>();
    private final Set<Integer> whole = new TreeSet<>();
    private final Deque<Integer> optional = new ArrayDeque<>();
    private final int columns;

    Table(String... header) {
        this.columns = header.length;
        rows.add(header);
    }

    /** These columns are never cut. */
    Table whole(Integer... columns) {
        whole.addAll(List.of(columns));
        return this;
    }

    /** These columns are left out on narrow terminals, the first of them first. */
    Table optional(Integer... columns) {
        optional.addAll(List.of(columns));
        return this;
    }

    Table row(Object... cells) {
        rows.add(Arrays.stream(cells)
                .map(cell -> Screen.withoutControls(cell.toString().replaceAll("\\s+", " ")))
                .toArray(String[]::new));
        return this;
    }

    void print(Screen screen) {
        int[] widths = widths();
        List<Integer> shown = shown(widths, screen.width());
        if (screen.live()) {
            narrow(widths, shown, screen.width());
        }
        for (String[] row : rows) {
            var line = new StringBuilder();
            for (int i : shown) {
                String cell = cut(row[i], widths[i]);
                line.append(cell).append(" ".repeat(widths[i] - length(cell))).append(GAP);
            }
            screen.out().println(line.toString().stripTrailing());
        }
        screen.out().flush();
    }

    private int[] widths() {
        var widths = new int[columns];
        for (String[] row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], length(row[i]));
            }
        }
        return widths;
    }

    private List<Integer> shown(int[] widths, int available) {
        List<Integer> shown = new ArrayList<>();
        IntStream.range(0, columns).forEach(shown::add);
        var leave = new ArrayDeque<>(optional);
        while (available > 0 && !leave.isEmpty() && least(widths, shown) > available) {
            shown.remove(leave.remove());
        }
        return shown;
    }

    /** The width at which every column can still be read. */
    private int least(int[] widths, List<Integer> shown) {
        return shown.stream()
                        .mapToInt(i -> whole.contains(i) ? widths[i] : Math.min(widths[i], READABLE))
                        .sum()
                + GAP.length() * (shown.size() - 1);
    }

    private void narrow(int[] widths, List<Integer> shown, int available) {
        int most = available - GAP.length() * (shown.size() - 1);
        while (shown.stream().mapToInt(i -> widths[i]).sum() > most) {
            Optional<Integer> widest = shown.stream()
                    .filter(i -> !whole.contains(i) && widths[i] > NARROWEST)
                    .max(Comparator.comparing(i -> widths[i]));
            if (widest.isEmpty()) {
                return;
            }
            widths[widest.get()]--;
        }
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private static String cut(String text, int width) {
        return length(text) <= width ? text : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
    }
}
