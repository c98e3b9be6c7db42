package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many schedules: those that are not due cost nothing. */
@Tag("full")
class SchedulesAtScaleTest {
    private static final Pattern PAGES = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private final String url = TestPostgres.get().newDatabase();
    private final HikariDataSource pool = TestPostgres.pool(url, 8);
    private final PostgresStore store = PostgresStore.open(pool);

    @AfterEach
    void close() {
        store.close();
        pool.close();
    }

    /** Copies of one schedule, each with its own key and the same next fire time. */
    private void copies(int from, int to, String nextFireAt) {
        TestPostgres.execute(
                url,
                "insert into longhaul.schedule select (r).* from (select jsonb_populate_record(s, jsonb_build_object('key',"
                        + " 'copy-' || i, 'next_fire_at', " + nextFireAt + ")) as r from longhaul.schedule s,"
                        + " generate_series(" + from + ", " + to + ") i where s.key = 'original') copied");
    }

    private void original() {
        JobTemplate job = JobTemplate.of(
                JobSpec.of(new DefinitionRef("report", 1), "{\"a\": 1}").build());
        Timetable daily = Timetable.of(Cron.of("0 0 * * *"));
        store.schedules().create(new ScheduleSpec("original", job, daily, CatchUp.DEFAULT, Overlap.ALLOW), false, null);
    }

    @Test
    void polling_due_schedules_reads_as_little_among_100_000_as_among_100() throws SQLException {
        original();
        int[] few = pages();
        copies(1, 100, "now() + i * interval '1 hour'");
        assertThat(pages()[0]).isLessThanOrEqualTo(few[0] + 2);
        copies(101, 100_000, "now() + i * interval '1 hour'");
        int[] many = pages();
        // An index of this size is one or two levels deeper.
        assertThat(many[0]).as("lock_due_schedules.sql").isLessThanOrEqualTo(few[0] + 3);
        assertThat(many[1]).as("until_next_fire.sql").isLessThanOrEqualTo(few[1] + 4);
    }

    private int[] pages() throws SQLException {
        return new int[] {
            pages("schedule/lock_due_schedules", "'leader'", "1", "null", "null", "500"),
            pages("schedule/until_next_fire")
        };
    }

    /** How many pages the statement reads when it runs for the second time. */
    private int pages(String name, String... parameters) throws SQLException {
        String text = NamedSql.load(name).text();
        int end = text.indexOf(";\n");
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(text.substring(0, end));
            String explain = "explain (analyze, buffers, costs off, timing off) "
                    + String.format(text.substring(end + 1).replace("?", "%s"), (Object[]) parameters);
            statement.execute(explain);
            try (ResultSet rows = statement.executeQuery(explain)) {
                var plan = new StringBuilder();
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
                connection.rollback();
                assertThat(plan.toString()).contains("using schedule_due").doesNotContain("Seq Scan on schedule");
                Matcher matcher = PAGES.matcher(plan);
                return matcher.find() ? count(matcher.group(1)) + count(matcher.group(2)) : 0;
            }
        }
    }

    private static int count(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
