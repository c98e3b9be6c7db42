package dev.longhaul;

import static dev.longhaul.schedule.Timing.cron;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchedulesOnPostgresTest extends SchedulesContract {
    private final HikariDataSource pool =
            TestPostgres.pool(new PatientDataSource(TestPostgres.get().newDatabase(PostgresStore::migrate)), 12);

    @Override
    LonghaulBuilder builder() {
        return Longhaul.builder().postgres(pool);
    }

    @Test
    void one_with_an_unknown_time_zone_does_not_keep_others_from_firing() throws Exception {
        Longhaul longhaul = start(complete(reports()));
        NewSchedule hourly = NewSchedule.of("known", cron("0 * * * *"))
                .definition("report", null)
                .params("{\"kind\": \"a\", \"pages\": 1}");
        longhaul.schedules().create(hourly.key("unknown"));
        longhaul.schedules().create(hourly);
        // As a process with a newer Java would have stored it.
        execute("update longhaul.schedule set time_zone = 'Mars/Base' where key = 'unknown'");
        execute("update longhaul.schedule set version = version + 1, next_fire_at = next_fire_at - interval '1 hour'");

        assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo(new Report("a", 1));
        assertThat(longhaul.schedules().get("known").runs()).isEqualTo(1);
        assertThat(longhaul.schedules().get("unknown").runs()).isZero();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @AfterEach
    void closePool() {
        close();
        pool.close();
    }
}
