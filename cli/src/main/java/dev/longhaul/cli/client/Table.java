package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Prints rows of JSON in aligned columns. On a terminal the table fits its width: columns without values and the least important
 * columns are omitted, then long texts are truncated. Ids and states stay complete.
 */
public final class Table {
    private static final String GAP = "  ";
    /** Minimum width of a text in characters. If a text had to be narrower, an optional column is omitted instead. */
    private static final int READABLE = 10;

    private static final int NARROWEST = 3;

    private final List<Column> columns;
    private final List<String> optional;

    public Table(Column... columns) {
        this(List.of(columns), List.of());
    }

    private Table(List<Column> columns, List<String> optional) {
        this.columns = columns;
        this.optional = optional;
    }

    /** When a column may be narrowed. */
    private enum Cut {
        NEVER,
        /** Narrowed only if no optional column is left that could be omitted. */
        LAST,
        FREELY
    }

    /** Formats a cell from the JSON of its row. */
    private interface Cell {
        String of(JsonNode row, boolean live);
    }

    /** A column of the table. */
    public static final class Column {
        private final String title;
        private final Cell cell;
        private Cut cut = Cut.LAST;
        private boolean right;
        private Function<String, Style> style = text -> Style.PLAIN;

        private Column(String title, Cell cell) {
            this.title = title;
            this.cell = cell;
        }

        /** Returns a column for a field. Its cell is empty if the field is missing. */
        public static Column of(String title, String field) {
            return of(title, row -> row.path(field).asText(""));
        }

        public static Column of(String title, Function<JsonNode, String> cell) {
            return new Column(title, (row, live) -> cell.apply(row));
        }

        /** Returns a column for a field. Its cell is a dash if the field is missing. */
        public static Column orDash(String title, String field) {
            return of(title, row -> row.path(field).asText("-"));
        }

        /** Returns a column of ids, which are never truncated. */
        public static Column id(String title, String field) {
            return orDash(title, field).uncut();
        }

        /** Returns a coloured column of states, which are never truncated. */
        public static Column status(String title, String field) {
            return orDash(title, field).uncut().styled(Style::ofStatus);
        }

        /** Returns a right-aligned column. */
        public static Column number(String title, Function<JsonNode, String> cell) {
            Column column = of(title, cell);
            column.right = true;
            return column;
        }

        public static Column number(String title, String field) {
            return number(title, row -> row.path(field).asText("-"));
        }

        /**
         * Returns a column for the time in a field. It is relative to now on a terminal, otherwise as sent by the
         * server.
         */
        public static Column time(String title, String field) {
            return new Column(
                    title,
                    (row, live) -> live
                            ? ResponseText.relative(row.path(field))
                            : row.path(field).asText("-"));
        }

        public Column uncut() {
            cut = Cut.NEVER;
            return this;
        }

        /** Marks a column of free text, which is truncated before a column is omitted. */
        public Column text() {
            cut = Cut.FREELY;
            return this;
        }

        public Column styled(Function<String, Style> how) {
            style = how;
            return this;
        }
    }

    /** Returns a table that omits these columns on narrow terminals, in this order. */
    public Table optional(String... titles) {
        return new Table(columns, List.of(titles));
    }

    /** Returns a view that prints the response as one row. */
    public RestCommand.View one() {
        return (screen, row) -> print(screen, List.of(row));
    }

    /** Returns a view that prints the rows in a field of the response, and a hint if there is a next page. */
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
        rows.add(columns.stream().map(column -> column.title).toArray(String[]::new));
        json.forEach(row -> rows.add(
                columns.stream().map(column -> cell(column, row, screen)).toArray(String[]::new)));
        int[] widths = widths(rows);
        List<Integer> shown = shown(rows, widths, screen);
        if (screen.live()) {
            narrow(widths, shown, screen.width(), Cut.FREELY);
            narrow(widths, shown, screen.width(), Cut.LAST);
        }
        for (String[] row : rows) {
            screen.out().println(line(row, widths, shown, screen, row == rows.get(0)));
        }
        screen.out().flush();
    }

    private String line(String[] row, int[] widths, List<Integer> shown, Screen screen, boolean header) {
        var line = new StringBuilder();
        for (int i : shown) {
            Column column = columns.get(i);
            String text = cut(row[i], widths[i]);
            String padding = " ".repeat(widths[i] - length(text));
            String painted = screen.paint(header ? Style.BOLD : column.style.apply(row[i]), text);
            line.append(column.right ? padding + painted : painted + padding).append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private static String cell(Column column, JsonNode row, Screen screen) {
        return Screen.withoutControls(column.cell.of(row, screen.live()).replaceAll("\\s+", " "));
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

    private List<Integer> shown(List<String[]> rows, int[] widths, Screen screen) {
        List<Integer> shown = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!screen.live() || !optional.contains(columns.get(i).title) || hasValue(rows, i)) {
                shown.add(i);
            }
        }
        for (String title : optional) {
            if (screen.live() && least(widths, shown) > screen.width()) {
                shown.removeIf(i -> columns.get(i).title.equals(title));
            }
        }
        return shown;
    }

    private static boolean hasValue(List<String[]> rows, int column) {
        return rows.stream().skip(1).anyMatch(row -> !row[column].isEmpty() && !row[column].equals("-"));
    }

    /** Returns the smallest width at which every column is readable. */
    private int least(int[] widths, List<Integer> shown) {
        return shown.stream()
                        .mapToInt(i -> columns.get(i).cut == Cut.FREELY ? Math.min(widths[i], READABLE) : widths[i])
                        .sum()
                + GAP.length() * (shown.size() - 1);
    }

    private void narrow(int[] widths, List<Integer> shown, int available, Cut cut) {
        int most = available - GAP.length() * (shown.size() - 1);
        int narrowest = cut == Cut.FREELY ? READABLE : NARROWEST;
        while (shown.stream().mapToInt(i -> widths[i]).sum() > most) {
            Optional<Integer> widest = shown.stream()
                    .filter(i -> columns.get(i).cut.compareTo(cut) >= 0 && widths[i] > narrowest)
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
