package dev.longhaul.postgres.database;

import dev.longhaul.job.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One statement from its {@code .sql} file, with {@code :name} parameters converted to JDBC's. A file that begins with
 * {@code -- planner: …} is sent together with planner settings for its transaction only, in the same round trip: its
 * plan then does not depend on statistics, and pooled connections stay unchanged.
 */
public final class NamedSql {
    private static final String FOLDER = "/dev/longhaul/postgres/";

    /**
     * Planner settings that allow no sequential, bitmap or sorted scans and only nested-loop joins, so that the planner
     * uses the intended indexes. The statement is planned once per connection, because planning a claim takes longer
     * than a small claim itself. Lock waits time out.
     */
    private static final String INDEX_ONLY = """
            select set_config('lock_timeout', '3s', true), \
            set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), \
            set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), \
            set_config('enable_sort', 'off', true), set_config('jit', 'off', true), \
            set_config('plan_cache_mode', 'force_generic_plan', true);
            """;

    /** Planner settings that plan each execution for the filters that are actually set. */
    private static final String CUSTOM = """
            select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true);
            """;

    private static final Pattern TOKEN = Pattern.compile("\\{([a-z_]+)}");

    private final String source;
    private final String text;
    private final boolean prefixed;
    private final Map<String, List<Integer>> positions = new HashMap<>();

    private NamedSql(String source) {
        this(
                source,
                source.startsWith("-- planner: index only")
                        ? INDEX_ONLY
                        : source.startsWith("-- planner: custom") ? CUSTOM : "");
    }

    private NamedSql(String source, String prefix) {
        this.source = source;
        this.prefixed = !prefix.isEmpty();
        this.text = prefix + withoutNames(source);
    }

    /** The statement in {@code sql/<name>.sql}. */
    public static NamedSql load(String name) {
        return load(name, Map.of());
    }

    /**
     * The statement in {@code sql/<name>.sql} with each {@code {token}} replaced: by its value, or by the fragment of
     * that name. Fragments contain SQL that several statements share.
     */
    public static NamedSql load(String name, Map<String, String> tokens) {
        String source = resource("sql/" + name + ".sql");
        for (var token : tokens.entrySet()) {
            source = source.replace("{" + token.getKey() + "}", token.getValue());
        }
        return new NamedSql(
                TOKEN.matcher(source).replaceAll(token -> Matcher.quoteReplacement(fragment(token.group(1)))));
    }

    /** The SQL in {@code sql/fragments/<name>.sql} without the comment above it. */
    private static String fragment(String name) {
        String source = resource("sql/fragments/" + name + ".sql");
        return source.lines().filter(line -> !line.startsWith("--")).collect(Collectors.joining("\n"));
    }

    /**
     * Returns a statement for one page of this statement's rows, limited by their total size. It has two additional
     * columns: {@code found}, how many rows this statement finds, and {@code octets_before}, the size of the rows
     * before a row.
     *
     * @param order the columns the statement orders by
     * @param octets SQL for the size of a row {@code p}
     */
    public NamedSql bounded(String order, String octets) {
        String planner = source.substring("-- planner: ".length(), source.indexOf('\n'));
        return load(
                "fragments/bounded",
                Map.of(
                        "planner",
                        planner,
                        "order",
                        order,
                        "octets",
                        octets,
                        "most",
                        String.valueOf(Limits.PAGE_BYTES),
                        "page",
                        source));
    }

    static String resource(String path) {
        try (InputStream in = NamedSql.class.getResourceAsStream(FOLDER + path)) {
            if (in == null) {
                throw new IllegalArgumentException("resource: " + path + " (expected: a file in " + FOLDER + ")");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The statement without its planner settings, for a transaction of the caller. */
    public NamedSql bare() {
        return new NamedSql(source, "");
    }

    /** Prepares the statement on the connection. */
    public Call on(Connection connection) throws SQLException {
        return new Call(this, connection);
    }

    /** Prepares the statement on the connection, runs it and closes the statement; the connection stays open. */
    public <T> T run(Connection connection, Call.Use<T> use) throws SQLException {
        try (Call call = on(connection)) {
            return use.of(call);
        }
    }

    public String text() {
        return text;
    }

    /** The original SQL, to be embedded in other statements. */
    public String source() {
        return source;
    }

    /** Whether the result of the planner settings precedes the statement's own result. */
    boolean prefixed() {
        return prefixed;
    }

    public boolean has(String parameter) {
        return positions.containsKey(parameter);
    }

    List<Integer> positions(String parameter) {
        List<Integer> found = positions.get(parameter);
        if (found == null) {
            throw new IllegalArgumentException(
                    "parameter: " + parameter + " (expected: one of " + positions.keySet() + ")");
        }
        return found;
    }

    private String withoutNames(String source) {
        var jdbc = new StringBuilder();
        int next = 1;
        for (String line : source.split("\n", -1)) {
            int comment = line.indexOf("--");
            String code = comment < 0 ? line : line.substring(0, comment).stripTrailing();
            for (int i = 0; i < code.length(); i++) {
                char c = code.charAt(i);
                boolean cast = c == ':' && i + 1 < code.length() && code.charAt(i + 1) == ':';
                if (cast) {
                    jdbc.append("::");
                    i++;
                } else if (c == ':' && i + 1 < code.length() && Character.isLetter(code.charAt(i + 1))) {
                    int end = i + 1;
                    while (end < code.length() && Character.isLetterOrDigit(code.charAt(end))) {
                        end++;
                    }
                    positions
                            .computeIfAbsent(code.substring(i + 1, end), name -> new ArrayList<>())
                            .add(next++);
                    jdbc.append('?');
                    i = end - 1;
                } else {
                    jdbc.append(c);
                }
            }
            jdbc.append('\n');
        }
        return jdbc.toString().strip();
    }
}
