package dev.longhaul.cli.client.doctor;

import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.client.database.DatabaseOptions;
import dev.longhaul.cli.client.database.OpenDatabase;
import dev.longhaul.cli.launch.SettingsCheck;
import dev.longhaul.embedded.EmbeddedPostgresException;
import dev.longhaul.error.LonghaulException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks for configuration problems and prints how to fix them. */
@Command(
        name = "doctor",
        description = {
            "Checks this machine, the settings of a server started here, the running server and, if given, a database,"
                    + " and prints how to fix problems.",
            "Exits with 1 if a check fails; warnings do not count."
        },
        mixinStandardHelpOptions = true)
public final class Doctor implements Callable<Integer> {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Option(
            names = "--process-user",
            paramLabel = "NAME",
            defaultValue = "${env:LONGHAUL_PROCESS_USER}",
            description = "User that jobs with process isolation run as, as passed to longhaul server.")
    private @Nullable String processUser;

    @Option(
            names = "--kubernetes",
            paramLabel = "auto|FILE",
            defaultValue = "${env:LONGHAUL_KUBERNETES}",
            description = "Cluster of pods, as passed to longhaul server.")
    private @Nullable String kubernetes;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            defaultValue = "${env:LONGHAUL_NAMESPACE}",
            description = "Namespace of pods, as passed to longhaul server.")
    private @Nullable String namespace;

    public Doctor(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() {
        var findings = new Findings();
        MachineChecks.run(findings, processUser);
        SettingsCheck settings = SettingsCheck.of(System.getenv(), database.config());
        settings(settings, findings);
        new ServerChecks(server.api(), findings).run();
        database(settings.databaseUrl(), findings);
        if (kubernetes != null) {
            ClusterChecks.run(findings, kubernetes, namespace);
        }
        if (server.json()) {
            screen.out().println(findings.json());
        } else {
            findings.print(screen);
        }
        return findings.failed() ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private static void settings(SettingsCheck check, Findings findings) {
        check.problems().forEach(problem -> findings.fail("settings", problem.toString(), "correct or remove it"));
        if (check.problems().isEmpty()) {
            findings.ok("settings", check.given().isEmpty() ? "all defaults" : String.join(", ", check.given()));
        }
    }

    /** @param configured the database of the settings, used if the command line does not name one */
    private void database(@Nullable String configured, Findings findings) {
        if (!database.given() && configured == null) {
            findings.skip("database", "not checked; set --database-url URL or --data-dir DIRECTORY");
            return;
        }
        try (OpenDatabase open =
                database.given() || configured == null ? database.open(false) : OpenDatabase.at(configured)) {
            new DatabaseChecks(open.dataSource(), findings).run();
        } catch (EmbeddedPostgresException e) {
            findings.fail("database", e.getMessage(), "stop the server that uses it, or check that server with --url");
        } catch (LonghaulException e) {
            findings.fail("database", e.getMessage(), "use the database options of longhaul server");
        }
    }
}
