package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/**
 * A program with an embedded server, run as a child of a test. It prints the result of its start, and exits at the end of
 * its standard input, so that it never outlives the test.
 */
final class ChildProgram {
    private ChildProgram() {}

    public static void main(String[] arguments) throws Exception {
        var home = Path.of(arguments[0]);
        try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
            Sql.execute(postgres, "create table if not exists kept (owner bigint)");
            Sql.execute(
                    postgres,
                    "insert into kept values (" + ProcessHandle.current().pid() + ")");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> drain(postgres, home)));
            System.out.println("started " + postgres.postmasterPid());
            while (System.in.read() != -1) {
                // Waits for the end of input.
            }
        } catch (EmbeddedPostgresException e) {
            System.out.println("refused " + e.getMessage());
        }
    }

    /** Long enough that it fails if the server gets the same signal and stops. */
    private static void drain(EmbeddedPostgres postgres, Path home) {
        try {
            Sql.query(postgres, "select pg_sleep(0.3)");
            Files.writeString(home.resolve("drained"), "yes");
        } catch (SQLException | IOException e) {
            System.out.println("drain failed: " + e);
        }
    }
}
