package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Prints rows of JSON in aligned columns. On a terminal the table fits its width: the least important columns are omitted,
 * then the widest columns are truncated, except those that must stay complete, such as ids.
 */
public final class Table {
    private static final String GAP = "  ";
    /** If a column had to be narrower than this, an optional column is omitted instead. */
    private static final int READABLE = 10;

    private static final int NARROWEST = 3;

    private final List<Column> columns;
    private final List<Integer> optional;

    public Table(Column... columns) {
        this(List.of(columns), List.of());
    }

    private Table(List<Column> columns, List<Integer> optional) {
        this.columns = columns;
        this.optional = optional;
    }

    /**
     * A column of the table.
     *
     * @param cell formats the cell from the JSON of a row
     * @param whole whether it is never truncated
     */
    public record Column(String title, Function<JsonNode, String> cell, boolean whole) {
        /** A column for a field; empty if the field is missing. */
        public static Column of(String title, String field) {
            return of(title, row -> row.path(field).asText(""));
        }

        public static Column of(String title, Function<JsonNode, String> cell) {
            return new Column(title, cell, false);
        }

        /** A column for a field; a dash if the field is missing. */
        public static Column orDash(String title, String field) {
            return of(title, row -> row.path(field).asText("-"));
        }

        /** A column for the age of the time in a field. */
        public static Column age(String title, String field) {
            return of(title, row -> ResponseText.age(row.path(field)));
        }

        public Column uncut() {
            return new Column(title, cell, true);
        }
    }

    /** Returns a table that omits these columns on narrow terminals, in this order. */
    public Table optional(Integer... indexes) {
        return new Table(columns, List.of(indexes));
    }

    /** A view of a response that is one row. */
    public RestCommand.View one() {
        return (screen, row) -> print(screen, List.of(row));
    }

    /** A view of a response with rows in a field, and a hint for the next page if there is one. */
    public RestCommand.View list(String field) {
        return (screen, page) -> {
            print(screen, page.path(field));
            if (page.hasNonNull("nextCursor")) {
                String next = page.get("nextCursor").asText();
                screen.err().println("More results: add --cursor " + next + " for the next page.");
            }
        };
    }

    public void print(Screen screen, Iterable<JsonNode> json) {
        List<String[]> rows = new ArrayList<>();
        rows.add(columns.stream().map(Column::title).toArray(String[]::new));
        json.forEach(row ->
                rows.add(columns.stream().map(column -> cell(column, row)).toArray(String[]::new)));
        int[] widths = widths(rows);
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

    private static String cell(Column column, JsonNode row) {
        return Screen.withoutControls(column.cell.apply(row).replaceAll("\\s+", " "));
    }

    private int[] widths(List<String[]> rows) {
        var widths = new int[columns.size()];
        for (String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], length(row[i]));
            }
        }
        return widths;
    }

    private List<Integer> shown(int[] widths, int available) {
        List<Integer> shown = new ArrayList<>();
        IntStream.range(0, columns.size()).forEach(shown::add);
        var omissible = new ArrayDeque<>(optional);
        while (available > 0 && !omissible.isEmpty() && least(widths, shown) > available) {
            shown.remove(omissible.remove());
        }
        return shown;
    }

    /** The smallest width at which every column is readable. */
    private int least(int[] widths, List<Integer> shown) {
        return shown.stream()
                        .mapToInt(i -> columns.get(i).whole ? widths[i] : Math.min(widths[i], READABLE))
                        .sum()
                + GAP.length() * (shown.size() - 1);
    }

    private void narrow(int[] widths, List<Integer> shown, int available) {
        int most = available - GAP.length() * (shown.size() - 1);
        while (shown.stream().mapToInt(i -> widths[i]).sum() > most) {
            Optional<Integer> widest = shown.stream()
                    .filter(i -> !columns.get(i).whole && widths[i] > NARROWEST)
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
