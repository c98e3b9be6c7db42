package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.Longhaul;
import dev.longhaul.examples.SameTransaction.Confirm;
import dev.longhaul.examples.SameTransaction.Confirmed;
import dev.longhaul.job.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the SQL of docs/reference/database.md, and checks that the roles it creates have the privileges that Longhaul needs. */
class DatabasePrivilegesTest {
    /** Instead of longhaul, which is the superuser of the embedded PostgreSQL. */
    private static final String OWNER = "keeper";

    private static final Pattern SQL = Pattern.compile("(?ms)^```sql\\n(.*?)^```$");

    @Test
    void the_documented_roles_run_jobs_and_enqueue_in_their_own_transaction() throws Exception {
        try (var database = ExampleDatabase.open(Path.of("target", "postgres-privileges"))) {
            recreateDatabase(database);
            try (var owner = pool(database, OWNER, "change-me");
                    var shop = pool(database, "shop", "change-me-too");
                    var longhaul = Longhaul.builder()
                            .postgres(owner)
                            .register(SameTransaction.CONFIRM)
                            .start();
                    Connection connection = shop.getConnection()) {
                connection.setAutoCommit(false);
                JobId id = longhaul.later(connection, SameTransaction.CONFIRM, new Confirm("A-1"));
                connection.commit();
                assertThat(longhaul.await(SameTransaction.CONFIRM, id, Duration.ofMinutes(1))
                                .orThrow())
                        .isEqualTo(new Confirmed("A-1"));
            }
        }
    }

    private static void recreateDatabase(ExampleDatabase database) throws SQLException, IOException {
        try (Connection connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("drop database if exists app");
            statement.execute("drop role if exists shop");
            statement.execute("drop role if exists " + OWNER);
            statement.execute("create database app");
            var blocks = SQL.matcher(Files.readString(Path.of("..", "docs", "reference", "database.md")))
                    .results()
                    .map((MatchResult block) -> block.group(1))
                    .toList();
            assertThat(blocks).hasSize(2);
            for (String block : blocks) {
                statement.execute(block.replace("longhaul", OWNER));
            }
        }
    }

    private static HikariDataSource pool(ExampleDatabase database, String user, String password) {
        var config = new HikariConfig();
        config.setJdbcUrl(database.url().replaceAll("/[^/?]+\\?.*$", "/app"));
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
    }
}
