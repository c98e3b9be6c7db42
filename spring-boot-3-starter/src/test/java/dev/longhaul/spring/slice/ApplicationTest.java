package dev.longhaul.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.slice.Shop.Confirm;
import dev.longhaul.spring.slice.Shop.Confirmed;
import dev.longhaul.spring.test.AutoConfigureTestJobs;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.testkit.TestJobs;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Transactional;

class ApplicationTest {
    @Nested
    @DirtiesContext
    @SpringBootTest(webEnvironment = WebEnvironment.NONE)
    @AutoConfigureTestJobs
    class InMemory {
        @Autowired
        private TestJobs jobs;

        @Autowired
        private Orders orders;

        @Autowired
        private DataSource dataSource;

        @Autowired
        private JobClient<Confirm, Confirmed> client;

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry properties) {
            properties.add("spring.datasource.url", () -> TestPostgres.get().newDatabase());
        }

        @Test
        void a_committed_transaction_has_its_job() {
            orders.place("A-1", false);
            jobs.runDue();
            jobs.assertThatOnlyJob(client.definition()).hasSucceeded();
        }

        @Test
        void a_rolled_back_transaction_has_none() {
            assertThatThrownBy(() -> orders.place("A-1", true)).hasMessage("payment declined");
            jobs.assertThatEnqueued(client.definition()).isEmpty();
        }

        @Test
        @Transactional
        void in_a_transaction_of_the_test_a_job_exists_once_the_test_commits() {
            orders.place("A-1", false);
            jobs.assertThatEnqueued(client.definition()).isEmpty();
            TestTransaction.flagForCommit();
            TestTransaction.end();
            jobs.assertThatEnqueued(client.definition()).containsExactly(new Confirm("A-1"));
        }

        @Test
        void code_may_pass_its_own_connection() throws Exception {
            try (var connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                orders.placeOn(connection, "A-1");
                connection.commit();
            }
            jobs.assertThatEnqueued(client.definition()).containsExactly(new Confirm("A-1"));
        }
    }

    @Nested
    @DirtiesContext
    @SpringBootTest(webEnvironment = WebEnvironment.NONE)
    @AutoConfigureTestJobs(database = AutoConfigureTestJobs.Database.POSTGRES)
    class OnPostgres {
        @Autowired
        private TestJobs jobs;

        @Autowired
        private Orders orders;

        @Autowired
        private JobClient<Confirm, Confirmed> client;

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry properties) {
            properties.add("spring.datasource.url", () -> TestPostgres.get().newDatabase());
        }

        @Test
        void a_committed_transaction_has_its_job() {
            orders.place("A-1", false);
            assertThat(jobs.runDue()).isEqualTo(1);
            jobs.assertThatOnlyJob(client.definition()).hasSucceeded();
        }

        @Test
        @Transactional
        void in_a_transaction_of_the_test_a_job_exists_once_the_test_commits() {
            orders.place("A-1", false);
            jobs.assertThatEnqueued(client.definition()).isEmpty();
            TestTransaction.flagForCommit();
            TestTransaction.end();
            jobs.assertThatEnqueued(client.definition()).containsExactly(new Confirm("A-1"));
        }

        @Test
        void a_rolled_back_transaction_has_none() {
            assertThatThrownBy(() -> orders.place("A-1", true)).hasMessage("payment declined");
            jobs.assertThatEnqueued(client.definition()).isEmpty();
        }
    }
}
