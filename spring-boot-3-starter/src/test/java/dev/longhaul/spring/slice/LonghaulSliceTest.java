package dev.longhaul.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.slice.Shop.Confirm;
import dev.longhaul.spring.slice.Shop.Confirmed;
import dev.longhaul.spring.test.LonghaulTest;
import dev.longhaul.testkit.TestJobs;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;

@LonghaulTest
class LonghaulSliceTest {
    @Autowired
    private TestJobs jobs;

    @Autowired
    private JobClient<Confirm, Confirmed> client;

    @Autowired
    private Confirmations confirmations;

    @Autowired
    private ObjectProvider<Orders> orders;

    @Autowired
    private ObjectProvider<DataSource> database;

    @BeforeEach
    void clear() {
        confirmations.sent.clear();
        confirmations.down = false;
    }

    @Test
    void has_jobs_but_no_other_components_and_no_database() {
        assertThat(orders.getIfAvailable()).isNull();
        assertThat(database.getIfAvailable()).isNull();
        assertThat(jobs.longhaul()).isInstanceOf(Longhaul.class);
    }

    @Test
    void jobs_run_when_the_test_says_so() {
        client.later(new Confirm("A-1"));
        assertThat(confirmations.sent).isEmpty();
        assertThat(jobs.runDue()).isEqualTo(1);
        jobs.assertThatOnlyJob(client.definition()).hasResult(new Confirmed("A-1", 1));
    }

    @Test
    void a_retry_needs_no_waiting() {
        confirmations.down = true;
        client.later(new Confirm("A-1"));
        jobs.runDue();
        jobs.assertThatOnlyJob(client.definition()).isRetrying();
        confirmations.down = false;
        jobs.runAll();
        jobs.assertThatOnlyJob(client.definition()).hasResult(new Confirmed("A-1", 2));
    }

    @Test
    void a_job_that_a_test_leaves_behind_does_not_run_in_the_next() {
        client.later(new Confirm("left behind"));
        jobs.startTest();
        assertThat(jobs.runDue()).isZero();
        jobs.assertThatEnqueued(client.definition()).isEmpty();
    }

    @Test
    void schedules_fire_by_the_clock_of_the_test() {
        jobs.advance(Duration.ofDays(1));
        jobs.runDue();
        assertThat(confirmations.sent).contains("report");
    }
}
