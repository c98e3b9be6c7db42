package dev.longhaul.examples;

import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Enqueues a job in the transaction that inserts an order: both are committed, or neither. */
public final class SameTransaction {
    private SameTransaction() {}

    record Confirm(String order) {}

    record Confirmed(String order) {}

    static final JobDefinition<Confirm, Confirmed> CONFIRM = JobDefinition.of(
                    "order.confirm", Confirm.class, Confirmed.class)
            .handler((params, context) -> new Confirmed(params.order()));

    // region transaction
    static JobId place(String order, DataSource dataSource, Longhaul longhaul) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (var insert = connection.prepareStatement("insert into orders (number) values (?)")) {
                JobId id = longhaul.later(connection, CONFIRM, new Confirm(order));
                insert.setString(1, order);
                insert.executeUpdate();
                connection.commit(); // commits the order and its job
                return id;
            } catch (SQLException e) {
                connection.rollback(); // removes the order and its job
                throw e;
            }
        }
    }
    // endregion

    public static void main(String[] arguments) throws Exception {
        try (var database = ExampleDatabase.open();
                var longhaul = Longhaul.builder()
                        .postgres(database.dataSource())
                        .register(CONFIRM)
                        .start()) {
            createOrders(database.dataSource());
            JobId id = place("A-1", database.dataSource(), longhaul);
            System.out.println(longhaul.await(CONFIRM, id, ofMinutes(1)).orThrow());
            int before = jobs(longhaul);
            try {
                place("A-1", database.dataSource(), longhaul);
            } catch (SQLException e) {
                System.out.println("refused: order A-1 exists");
            }
            System.out.println("jobs created by that: " + (jobs(longhaul) - before));
        }
    }

    private static int jobs(Longhaul longhaul) {
        JobQuery confirmations = JobQuery.where().definitionKey("order.confirm").build();
        return longhaul.list(confirmations).jobs().size();
    }

    private static void createOrders(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("drop table if exists orders");
            statement.execute("create table orders (number text primary key)");
        }
    }
}
