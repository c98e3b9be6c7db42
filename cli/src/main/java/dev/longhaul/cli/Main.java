package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.launch.Launch;
import dev.longhaul.embedded.EmbeddedPostgresException;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of the runnable jar. Registers all commands, and maps failures to messages and exit codes. */
@Command(
        name = "longhaul",
        description = "Durable jobs that outlive a request, on PostgreSQL.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 success, 1 unexpected error, 2 invalid usage or input,",
            "3 API key missing or without permission, 4 not found, 5 conflicts with the state,",
            "6 limit exceeded, 7 server or database unavailable. When waiting for a job:",
            "0 succeeded, 10 failed, 11 cancelled, 12 not finished."
        })
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        var out = new PrintWriter(System.out, true, UTF_8);
        var err = new PrintWriter(System.err, true, UTF_8);
        System.exit(commandLine(Screen.ofProcess(out, err)).execute(args));
    }

    static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        return commandLine(Screen.plain(out, err));
    }

    static CommandLine commandLine(Screen screen) {
        PrintWriter out = screen.out();
        var starting = new CommandLine(new Main())
                .addSubcommand(Launch.dev(out))
                .addSubcommand(Launch.server(out))
                .addSubcommand(Launch.worker(out));
        var longhaul = ClientCommands.addTo(starting, screen)
                .addSubcommand(new Bench())
                .addSubcommand(new Migrate(out))
                .addSubcommand(new Version(out))
                .setOut(out)
                .setErr(screen.err())
                .setExpandAtFiles(false)
                .setExecutionExceptionHandler(Main::report);
        longhaul.getCommandSpec().version(Version.line());
        longhaul.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().version(Version.line()));
        return longhaul;
    }

    private static int report(Exception failure, CommandLine command, CommandLine.ParseResult arguments) {
        var err = command.getErr();
        if (failure instanceof LonghaulException known) {
            if (known.errors().isEmpty()) {
                err.println("longhaul: " + known.getMessage());
            }
            known.errors().forEach(problem -> err.println("longhaul: " + problem));
            return ExitCodes.of(known.code());
        }
        if (failure instanceof EmbeddedPostgresException known) {
            err.println("longhaul: " + known.getMessage());
            return ExitCodes.of(ErrorCode.UNAVAILABLE);
        }
        err.print("longhaul: ");
        failure.printStackTrace(err);
        return ExitCodes.of(ErrorCode.INTERNAL);
    }
}
