package org.example.shop;

import static dev.longhaul.spring.test.AutoConfigureTestJobs.Database.POSTGRES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.test.AutoConfigureTestJobs;
import dev.longhaul.testkit.TestJobs;
import org.example.shop.Mails.Confirmation;
import org.example.shop.Mails.Sent;
import org.example.shop.Orders.SoldOutException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The whole application on PostgreSQL. Jobs run when the test says so. */
// region on-postgres
@SpringBootTest
@AutoConfigureTestJobs(database = POSTGRES)
@Import(LocalPostgres.class)
class OrdersTest {
    @Autowired
    private Orders orders;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private JobClient<Confirmation, Sent> confirmations;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void an_order_is_confirmed() {
        long order = orders.place("teapot", "ann@example.org");
        jobs.assertThatEnqueued(confirmations.definition())
                .containsExactly(new Confirmation(order, "ann@example.org", "teapot"));
        jobs.runDue();
        jobs.assertThatOnlyJob(confirmations.definition()).hasSucceeded();
    }

    @Test
    void nothing_is_left_of_an_order_for_a_sold_out_item() {
        long before = countOrders();
        assertThatThrownBy(() -> orders.place("kettle", "ann@example.org")).isInstanceOf(SoldOutException.class);
        assertThat(countOrders()).isEqualTo(before);
        jobs.assertThatEnqueued(confirmations.definition()).isEmpty();
    }

    private long countOrders() {
        return jdbc.sql("select count(*) from orders").query(Long.class).single();
    }
}
// endregion
