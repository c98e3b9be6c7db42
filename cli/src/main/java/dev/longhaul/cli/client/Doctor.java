package dev.longhaul.cli.client;

import dev.longhaul.embedded.EmbeddedPostgresException;
import dev.longhaul.error.LonghaulException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Looks for what could go wrong, and says what to do about it. */
@Command(
        name = "doctor",
        description = {
            "Checks this machine, the server and, if named, a database, and says what to fix.",
            "Exit code 1 if anything fails; warnings do not."
        },
        mixinStandardHelpOptions = true)
final class Doctor implements Callable<Integer> {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    Doctor(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() {
        var findings = new Findings();
        MachineChecks.run(findings);
        new ServerChecks(server.api(), findings).run();
        database(findings);
        if (server.json()) {
            screen.out().println(findings.json());
        } else {
            findings.print(screen);
        }
        return findings.failed() ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private void database(Findings findings) {
        if (!database.given()) {
            findings.skip("database", "none named; --database-url URL or --data-dir DIRECTORY checks one");
            return;
        }
        try (OpenDatabase open = database.open(false)) {
            new DatabaseChecks(open.dataSource(), findings).run();
        } catch (EmbeddedPostgresException e) {
            findings.fail("database", e.getMessage(), "stop the server that uses it, or ask that one with --url");
        } catch (LonghaulException e) {
            findings.fail("database", e.getMessage(), "name the database as longhaul server does");
        }
    }
}
