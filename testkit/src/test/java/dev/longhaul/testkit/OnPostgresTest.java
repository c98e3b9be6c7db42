package dev.longhaul.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

class OnPostgresTest {
    private static final String URL = TestPostgres.get().newDatabase();

    private final JobDefinition<String, String> greet =
            JobDefinition.of("test.greet", String.class, String.class).handler((name, context) -> "Hello, " + name);

    @RegisterExtension
    final LonghaulExtension jobs = LonghaulExtension.onPostgres(OnPostgresTest::dataSource, greet);

    private static DataSource dataSource() {
        var dataSource = new PGSimpleDataSource();
        dataSource.setUrl(URL);
        return dataSource;
    }

    @Test
    void a_job_of_the_callers_transaction_exists_once_that_commits() throws Exception {
        try (Connection connection = dataSource().getConnection()) {
            connection.setAutoCommit(false);
            jobs.longhaul().later(connection, greet, "Ann");
            connection.rollback();
            jobs.longhaul().later(connection, greet, "Bob");
            connection.commit();
        }

        jobs.assertThatEnqueued(greet).containsExactly("Bob");
        assertThat(jobs.runDue()).isEqualTo(1);
        jobs.assertThatOnlyJob(greet).hasSucceeded();
    }

    @Test
    void jobs_of_other_tests_are_ignored_and_delayed_ones_run_without_waiting() {
        jobs.longhaul().later(greet, "Cid", JobOptions.options().delay(Duration.ofHours(1)));

        assertThat(jobs.runDue()).isZero();
        assertThat(jobs.runAll()).isEqualTo(1);
        jobs.assertThatOnlyJob(greet).hasSucceeded();
        assertThatThrownBy(() -> jobs.advance(Duration.ofHours(1))).hasMessageContaining("cannot be advanced");
    }
}
