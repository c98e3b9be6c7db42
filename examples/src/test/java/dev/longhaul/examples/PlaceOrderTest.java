package dev.longhaul.examples;

import dev.longhaul.examples.SameTransaction.Confirm;
import dev.longhaul.testkit.LonghaulExtension;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests code that enqueues in its own transaction, on a real PostgreSQL. */
class PlaceOrderTest {
    private static final ExampleDatabase DATABASE = ExampleDatabase.open(Path.of("target", "postgres-orders"));

    @BeforeAll
    static void createOrders() throws SQLException {
        try (Connection connection = dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("drop table if exists orders");
            statement.execute("create table orders (number text primary key)");
        }
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    private static DataSource dataSource() {
        return DATABASE.dataSource();
    }

    // region on-postgres
    @RegisterExtension
    final LonghaulExtension jobs = LonghaulExtension.onPostgres(PlaceOrderTest::dataSource, SameTransaction.CONFIRM);

    @Test
    void placing_an_order_enqueues_its_confirmation() throws SQLException {
        SameTransaction.place("A-7", dataSource(), jobs.longhaul());

        jobs.assertThatEnqueued(SameTransaction.CONFIRM).containsExactly(new Confirm("A-7"));
        jobs.runDue();
        jobs.assertThatOnlyJob(SameTransaction.CONFIRM).hasSucceeded();
    }
    // endregion
}
