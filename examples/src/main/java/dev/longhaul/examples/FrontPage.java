package dev.longhaul.examples;

import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import java.sql.Connection;
import java.sql.SQLException;

/** The example of the README: enqueues a job in the transaction that inserts a user. */
public final class FrontPage {
    private FrontPage() {}

    /** Sends mail. */
    interface Mailer {
        String send(String address, String text);
    }

    private static final Mailer MAILER = (address, text) -> text + " " + address;

    // region front-page
    record Welcome(String address) {}

    static final JobDefinition<Welcome, String> WELCOME = JobDefinition.of("mail.welcome", Welcome.class, String.class)
            .maxAttempts(5) // with exponential backoff
            .handler((params, context) -> MAILER.send(params.address(), "Welcome!"));

    static JobId signUp(Connection connection, Longhaul longhaul, String address) throws SQLException {
        insertUser(connection, address);
        JobId id = longhaul.later(connection, WELCOME, new Welcome(address)); // part of your transaction
        connection.commit(); // from here on the job survives any crash; a rollback would have removed it
        return id;
    }
    // endregion

    private static void insertUser(Connection connection, String address) throws SQLException {
        try (var insert = connection.prepareStatement("insert into users (address) values (?)")) {
            insert.setString(1, address);
            insert.executeUpdate();
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (var database = ExampleDatabase.open();
                var longhaul = Longhaul.builder()
                        .postgres(database.dataSource())
                        .register(WELCOME)
                        .start();
                Connection connection = database.dataSource().getConnection()) {
            try (var statement = connection.createStatement()) {
                statement.execute("drop table if exists users");
                statement.execute("create table users (address text primary key)");
            }
            connection.setAutoCommit(false);
            JobId id = signUp(connection, longhaul, "ann@example.org");
            System.out.println(longhaul.await(WELCOME, id, ofMinutes(1)).orThrow());
        }
    }
}
