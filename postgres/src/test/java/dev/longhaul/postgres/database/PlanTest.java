package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.webhook.PostgresWebhooks;
import dev.longhaul.postgres.work.PostgresWork;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.webhook.Delivery;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The plans of the hot statements do not depend on statistics: on an empty table, on one that was never analysed, on one
 * analysed while it was empty and on one with many updates, by generic and by custom plans, on the embedded PostgreSQL and
 * on 15. The tests check how the tables are accessed, and how many pages that reads.
 */
class PlanTest {
    private static final Pattern SCAN = Pattern.compile(
            "(Seq Scan|Bitmap Heap Scan|Index Only Scan using \\S+|Index Scan using \\S+) on (\\S*(?:live_job|finished_job|definition_limit|queue|webhook_delivery|job_effect)\\S*)");
    private static final Pattern HOOKS_NOT_SEARCHED = Pattern.compile("hooked_definition hooked \\(never executed\\)");
    private static final Pattern WEBHOOKS_NOT_SEARCHED = Pattern.compile(
            "(?s)webhook_subscription on webhook w(?:_\\d+)? \\(never executed\\).*job_webhook_pkey on job_webhook own \\(never executed\\)");
    private static final Pattern PAGES = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    enum Server {
        OURS,
        FIFTEEN
    }

    enum Table {
        EMPTY,
        NEVER_ANALYSED,
        ANALYSED_WHEN_EMPTY,
        CHURNED
    }

    enum Mode {
        FORCE_GENERIC_PLAN,
        FORCE_CUSTOM_PLAN
    }

    /** Plans on PostgreSQL 15 are part of {@code -Pfull}. */
    static List<Server> servers() {
        return Boolean.getBoolean("longhaul.full") ? List.of(Server.values()) : List.of(Server.OURS);
    }

    static Stream<Arguments> cases() {
        var all = new ArrayList<Arguments>();
        for (Server server : servers()) {
            for (Table table : Table.values()) {
                for (Mode mode : Mode.values()) {
                    all.add(Arguments.of(server, table, mode));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_claim_reaches_jobs_only_by_the_index_of_waiting_jobs_and_the_primary_key(
            Server server, Table table, Mode mode) throws SQLException {
        try (Connection connection = prepared(server, table)) {
            var arguments = new HashMap<>(Map.of("batchLock", "1", "walk", "true", "queues", "'{default}'"));
            for (String lanes : List.of("laneQueues", "laneKeys", "laneVersions", "laneRanks", "laneFloors")) {
                arguments.put(lanes, "'{}'");
            }
            arguments.putAll(Map.of("anyDefinition", "false", "keys", "'{due}'", "versions", "'{1}'", "max", "16"));
            arguments.putAll(
                    Map.of("batch", "'00000000-0000-0000-0000-000000000001'", "lease", "15000000", "worker", "'w'"));
            arguments.put("endMargin", "null");
            arguments.put("begin", "1");
            String plan = plan(connection, mode, PostgresWork.claimSql(false), arguments);
            assertThat(scans(plan, "live_job"))
                    .as(plan)
                    .containsExactly(
                            "Index Only Scan using live_job_waiting",
                            "Index Scan using live_job_pkey",
                            "Index Scan using live_job_waiting");
            assertThat(scans(plan, "definition_limit")).as(plan).allMatch(scan -> scan.startsWith("Index"));
            assertThat(scans(plan, "queue")).as(plan).allMatch(scan -> scan.startsWith("Index"));
            assertThat(plan).doesNotContain("Hash Join").doesNotContain("Merge Join");
            assertThat(plan).as("no webhooks: not searched for each job").containsPattern(WEBHOOKS_NOT_SEARCHED);
            // Each of 16 jobs is found, locked and rewritten with its index entries; all else costs next to nothing.
            assertThat(pages(plan)).as(plan).isLessThan(600);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_renewal_and_a_begin_reach_jobs_only_by_the_primary_key(Server server, Table table, Mode mode)
            throws SQLException {
        try (Connection connection = prepared(server, table)) {
            claimSome(connection, 16);
            var arguments = new HashMap<String, String>();
            arguments.put("ids", literal(connection, "array_agg(id order by id)"));
            arguments.put("runs", literal(connection, "array_agg(run order by id)"));
            arguments.put("keys", literal(connection, "array_agg(lease_key order by id)"));
            String begin = plan(connection, mode, NamedSql.load("work/begin"), arguments);
            assertThat(scans(begin, "live_job")).as(begin).containsExactly("Index Scan using live_job_pkey");
            arguments.put("lease", "15000000");
            String extend = plan(connection, mode, NamedSql.load("work/extend"), arguments);
            assertThat(scans(extend, "live_job")).as(extend).containsOnly("Index Scan using live_job_pkey");
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_report_reaches_jobs_only_by_the_primary_key(Server server, Table table, Mode mode) throws SQLException {
        try (Connection connection = prepared(server, table)) {
            claimSome(connection, 16);
            var arguments = new HashMap<String, String>();
            arguments.put("ids", literal(connection, "array_agg(id order by id)"));
            arguments.put("runs", literal(connection, "array_agg(run order by id)"));
            arguments.put("keys", literal(connection, "array_agg(lease_key order by id)"));
            arguments.put("progresses", literal(connection, "array_agg(50::smallint)"));
            for (String none : List.of("messages", "progressPayloads", "firsts", "ats", "payloads")) {
                arguments.put(none, "'{}'");
            }
            arguments.put("lasts", literal(connection, "array_agg(1)"));
            arguments.put("counts", literal(connection, "array_agg(1)"));
            arguments.put("nths", literal(connection, "array_agg(1)"));
            arguments.put("eventIds", literal(connection, "array_agg(id order by id)"));
            arguments.put("eventRuns", literal(connection, "array_agg(run order by id)"));
            arguments.put("places", literal(connection, "array_agg(1)"));
            arguments.put("sequences", literal(connection, "array_agg(1)"));
            arguments.put("types", literal(connection, "array_agg('log'::text)"));
            String plan = plan(connection, mode, NamedSql.load("work/save"), arguments);
            assertThat(scans(plan, "live_job")).as(plan).containsExactly("Index Scan using live_job_pkey");
            assertThat(plan).doesNotContain("Hash Join").doesNotContain("Merge Join");
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void completion_reaches_jobs_only_by_the_primary_key(Server server, Table table, Mode mode) throws SQLException {
        try (Connection connection = prepared(server, table)) {
            claimSome(connection, 16);
            var arguments = new HashMap<String, String>();
            arguments.put("ids", literal(connection, "array_agg(id order by id)"));
            arguments.put("runs", literal(connection, "array_agg(run order by id)"));
            arguments.put("keys", literal(connection, "array_agg(lease_key order by id)"));
            arguments.put("states", literal(connection, "array_agg(4::smallint)"));
            arguments.put("results", literal(connection, "array_agg('{}'::text)"));
            for (String none :
                    List.of("errorCodes", "errorMessages", "errorTypes", "errorStacks", "crashes", "positions")) {
                arguments.put(none, "'{}'");
            }
            arguments.putAll(Map.of("leased", "'{}'", "now", "null", "headStart", "30000000"));
            String plan = plan(connection, mode, NamedSql.load("work/finish"), arguments);
            assertThat(scans(plan, "live_job")).as(plan).containsExactly("Index Scan using live_job_pkey");
            assertThat(scans(plan, "definition_limit")).as(plan).allMatch(scan -> scan.startsWith("Index"));
            assertThat(plan).doesNotContain("Hash Join").doesNotContain("Merge Join");
            assertThat(plan).as("no hooks: not searched for each job").containsPattern(HOOKS_NOT_SEARCHED);
            assertThat(plan).as("no webhooks: not searched for each job").containsPattern(WEBHOOKS_NOT_SEARCHED);
            // About 600 for 16 rows and their index entries, more when a table grows; a full scan reads thousands.
            assertThat(pages(plan)).as(plan).isLessThan(1500);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_poll_for_jobs_on_their_last_life_reads_no_others(Server server, Table table, Mode mode) throws SQLException {
        try (Connection connection = prepared(server, table)) {
            var arguments =
                    Map.of("queues", "'{default}'", "anyDefinition", "true", "keys", "'{}'", "versions", "'{}'");
            String plan = plan(connection, mode, NamedSql.load("work/last_life_due"), arguments);
            assertThat(scans(plan, "live_job")).as(plan).containsExactly("Index Only Scan using live_job_last_life");
            assertThat(pages(plan)).as(plan).isLessThan(20);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void redelivering_reaches_parked_deliveries_by_their_own_index(Server server, Table table, Mode mode)
            throws SQLException {
        try (Connection connection = prepared(server, table)) {
            var arguments = Map.of(
                    "webhookId",
                    "'00000000-0000-0000-0000-000000000001'",
                    "from",
                    "null",
                    "before",
                    "null",
                    "max",
                    "9");
            String plan = plan(connection, mode, PostgresWebhooks.redeliverSome(Delivery.State.PARKED), arguments);
            assertThat(scans(plan, "webhook_delivery"))
                    .as(plan)
                    .containsExactlyInAnyOrder(
                            "Index Only Scan using webhook_delivery_parked", "Index Scan using webhook_delivery_pkey");
            assertThat(plan).doesNotContain("Sort");
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void dispatch_and_hooks_reach_effects_only_by_their_indexes(Server server, Table table, Mode mode)
            throws SQLException {
        try (Connection connection = prepared(server, table)) {
            var arguments = Map.of("wait", "true", "max", "1000");
            String dispatch = plan(connection, mode, NamedSql.load("webhook/dispatch_effects"), arguments);
            assertThat(scans(dispatch, "job_effect")).as(dispatch).allMatch(scan -> scan.endsWith("job_effect_pkey"));
            var known = Map.of("keys", "'{due}'", "versions", "'{1}'", "max", "100", "hold", "1000000");
            String hooks = plan(connection, mode, NamedSql.load("work/take_hooks"), known);
            assertThat(scans(hooks, "job_effect"))
                    .as(hooks)
                    .containsOnly("Index Scan using job_effect_hooks", "Index Scan using job_effect_pkey");
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void the_backlog_of_webhooks_ends_at_the_first_that_could_be_sent(Server server, Table table, Mode mode)
            throws SQLException {
        try (Connection connection = prepared(server, table)) {
            String plan = plan(connection, mode, NamedSql.load("webhook/webhook_backlog"), Map.of());
            assertThat(scans(plan, "webhook_delivery"))
                    .as(plan)
                    .allMatch(scan -> scan.startsWith("Index"))
                    .anyMatch(scan -> scan.endsWith("using webhook_delivery_due"))
                    .anyMatch(scan -> scan.endsWith("using webhook_delivery_turn"));
            assertThat(plan)
                    .containsPattern("Index Cond: .*turn < d.turn")
                    .doesNotContain("Sort")
                    .doesNotContain("Hash")
                    .doesNotContain("Join Filter");
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void deliveries_are_taken_by_the_indexes_of_due_times_and_turns(Server server, Table table, Mode mode)
            throws SQLException {
        try (Connection connection = prepared(server, table)) {
            var arguments = Map.of(
                    "breakAfter",
                    "5",
                    "mostPerWebhook",
                    "4",
                    "busyIds",
                    "'{}'",
                    "busyCounts",
                    "'{}'",
                    "most",
                    "200",
                    "hold",
                    "40000000");
            String plan = plan(connection, mode, NamedSql.load("webhook/take_deliveries"), arguments);
            assertThat(scans(plan, "webhook_delivery"))
                    .as(plan)
                    .allMatch(scan -> scan.startsWith("Index"))
                    .anyMatch(scan -> scan.endsWith("using webhook_delivery_due"))
                    .anyMatch(scan -> scan.endsWith("using webhook_delivery_turn"));
            assertThat(plan).containsPattern("Index Cond: .*turn < d.*turn").doesNotContain("Join Filter: (earlier");
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void late_deliveries_are_given_up_by_the_index_of_due_times(Server server, Table table, Mode mode)
            throws SQLException {
        try (Connection connection = prepared(server, table)) {
            var arguments = Map.of("patience", "86400000000", "max", "1000");
            String plan = plan(connection, mode, NamedSql.load("webhook/give_up_deliveries"), arguments);
            assertThat(scans(plan, "webhook_delivery"))
                    .as(plan)
                    .containsExactlyInAnyOrder(
                            "Index Scan using webhook_delivery_due", "Index Scan using webhook_delivery_pkey");
            assertThat(plan).containsPattern("Index Cond: .*next_try_at <=").doesNotContain("Sort");
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void a_list_by_finish_time_reads_only_the_pages_of_that_time(Server server) throws SQLException {
        assumeTrue(server == Server.OURS || TestPostgres.has15(), "PostgreSQL 15 is not installed here");
        String url = (server == Server.OURS ? TestPostgres.get() : TestPostgres.get15()).newDatabase();
        try (var pool = TestPostgres.pool(url, 4)) {
            PostgresStore.open(pool).close();
        }
        fillFinished(url);
        for (String states : List.of("null", "'{5}'")) {
            try (Connection connection = DriverManager.getConnection(url)) {
                connection.setAutoCommit(false);
                var arguments = new HashMap<String, String>();
                for (String none : List.of(
                        "cursor",
                        "statuses",
                        "definitionKey",
                        "queue",
                        "namePrefix",
                        "labels",
                        "correlationId",
                        "createdBy",
                        "createdAfter",
                        "createdBefore",
                        "finishedBefore",
                        "lowestId",
                        "highestId")) {
                    arguments.put(none, "null");
                }
                arguments.putAll(Map.of("states", states, "limit", "51"));
                arguments.put("finishedAfter", "'" + Instant.now().minusSeconds(60) + "'");
                String plan = plan(
                        connection,
                        Mode.FORCE_CUSTOM_PLAN,
                        NamedSql.load("job/list", Map.of("columns", "{job_columns}", "order", "desc", "beyond", "<")),
                        arguments);
                assertThat(scans(plan, "live_job")).as(plan).isEmpty();
                assertThat(plan)
                        .as("of 40,000 jobs in about 1,500 pages")
                        .contains("Bitmap Index Scan on finished_job");
                assertThat(pages(plan)).as(plan).isLessThan(700);
            }
        }
    }

    /** 40,000 jobs that were created yesterday and finished over the last day, stored in the order in which they finished. */
    private static void fillFinished(String url) {
        TestPostgres.execute(url, """
                insert into longhaul.finished_job (id, run_at, created_at, updated_at, finished_at, run, position, ended_position,
                    ended_run, definition_version, timeout_seconds, state, rank, attempts, max_attempts, crashes, progress,
                    definition_key, queue, params, result, lease_key, started_at, started_position, worker_id, error_code,
                    error_message)
                select (substr(longhaul.lowest_id(now() - interval '1 day')::text, 1, 14) || substr(gen_random_uuid()::text, 15))::uuid,
                    now(), now() - interval '1 day', now(), now() - (40000 - i) * interval '2 s', 1, 3, 3, 1, 1, 3600,
                    case when i % 50 = 0 then 5 else 4 end, 0, 1, 3, 0, 0, 'kind', 'default', '{}',
                    case when i % 50 = 0 then null else '{}' end, gen_random_uuid(), now(), 2, 'w',
                    case when i % 50 = 0 then 'exception' end, case when i % 50 = 0 then 'bad' end
                from generate_series(1, 40000) i""", "vacuum analyze longhaul.finished_job");
    }

    private static final Map<String, String> DATABASES = new HashMap<>();

    /** A connection to a database whose tables are in that condition, in a transaction that is never committed. */
    private static Connection prepared(Server server, Table table) throws SQLException {
        assumeTrue(server == Server.OURS || TestPostgres.has15(), "PostgreSQL 15 is not installed here");
        String url = DATABASES.computeIfAbsent(server + " " + table, key -> newDatabase(server, table));
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        return connection;
    }

    private static String newDatabase(Server server, Table table) {
        TestPostgres where = server == Server.OURS ? TestPostgres.get() : TestPostgres.get15();
        String url = where.newDatabase();
        try (var pool = TestPostgres.pool(url, 4)) {
            PostgresStore.open(pool).close();
        }
        TestPostgres.execute(url, "alter table longhaul.live_job set (autovacuum_enabled = false)");
        switch (table) {
            case EMPTY -> {}
            case NEVER_ANALYSED -> fill(url);
            case ANALYSED_WHEN_EMPTY -> {
                TestPostgres.execute(url, "analyze longhaul.live_job", "analyze longhaul.finished_job");
                fill(url);
            }
            case CHURNED -> {
                fill(url);
                TestPostgres.execute(url, "analyze longhaul.live_job", "update longhaul.live_job set name = 'x'");
            }
        }
        return url;
    }

    /** 2,000 due jobs, 10,000 future ones at a higher priority, 10,000 of an unknown definition, 10,000 running. */
    private static void fill(String url) {
        String insert = "insert into longhaul.live_job (id, run_at, created_at, updated_at, definition_version,"
                + " timeout_seconds, state, rank, max_attempts, definition_key, queue, params, run, lease_until,"
                + " lease_key, worker_id, started_at, started_position)"
                + " select (substr(longhaul.lowest_id(now())::text, 1, 14) || substr(gen_random_uuid()::text, 15))::uuid,"
                + " now() + %s * interval '1 s', now(), now(), 1, 3600, %s, %s, 3, '%s',"
                + " 'default', '{}' %s from generate_series(1, %s) i";
        String waiting = ", 0, null, null, null, null, null";
        String running = ", 1, now() + interval '1 h', gen_random_uuid(), 'w', now(), 2";
        TestPostgres.execute(
                url,
                String.format(insert, "-i", 1, 0, "due", waiting, 2000),
                String.format(insert, "(3600 + i)", 1, -5, "due", waiting, 10_000),
                String.format(insert, "-i", 1, -9, "unknown", waiting, 10_000),
                String.format(insert, "-i", 2, 0, "due", running, 10_000));
    }

    /** Stores claims on some running jobs in a separate table, or on a job that does not exist. */
    private static void claimSome(Connection connection, int jobs) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create temporary table claims as select id, run, lease_key from longhaul.live_job"
                    + " where state = 2 limit " + jobs);
            statement.execute("insert into claims select gen_random_uuid(), 1, gen_random_uuid()"
                    + " where not exists (select from claims)");
        }
    }

    /** A value computed from the table of claims, as a literal. */
    private static String literal(Connection connection, String expression) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select quote_literal((" + expression + ")::text) from claims")) {
            row.next();
            return row.getString(1);
        }
    }

    /** The executed plan of a prepared statement, planned in that mode with the statement's own settings. */
    private static String plan(Connection connection, Mode mode, NamedSql sql, Map<String, String> arguments)
            throws SQLException {
        String text = sql.text();
        var ordered = new TreeMap<Integer, String>();
        arguments.forEach((parameter, value) -> sql.positions(parameter).forEach(at -> ordered.put(at, value)));
        int end = text.indexOf(";\n");
        String settings = text.substring(0, end);
        String body = numbered(text.substring(end + 1));
        try (Statement statement = connection.createStatement()) {
            statement.execute(settings);
            statement.execute("set local plan_cache_mode = " + mode.name());
            statement.execute("prepare hot as " + body);
            var plan = new StringBuilder();
            String values = ordered.isEmpty() ? "" : "(" + String.join(", ", ordered.values()) + ")";
            try (ResultSet rows =
                    statement.executeQuery("explain (analyze, buffers, costs off, timing off) execute hot " + values)) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            statement.execute("deallocate hot");
            return plan.toString();
        }
    }

    private static String numbered(String jdbc) {
        Matcher parameters = Pattern.compile("\\?").matcher(jdbc);
        int[] number = {0};
        return parameters.replaceAll(match -> "\\$" + ++number[0]);
    }

    private static List<String> scans(String plan, String table) {
        var scans = new TreeSet<String>();
        Matcher matcher = SCAN.matcher(plan);
        while (matcher.find()) {
            if (matcher.group(2).startsWith(table)) {
                scans.add(matcher.group(1));
            }
        }
        return List.copyOf(scans);
    }

    /** Pages read by the whole statement: the first line with a count belongs to the root of the plan. */
    private static int pages(String plan) {
        Matcher matcher = PAGES.matcher(plan);
        if (!matcher.find()) {
            return 0;
        }
        String hit = matcher.group(1);
        String read = matcher.group(2);
        return (hit == null ? 0 : Integer.parseInt(hit)) + (read == null ? 0 : Integer.parseInt(read));
    }
}
