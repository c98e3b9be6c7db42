package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.cli.client.HelpText;
import dev.longhaul.cli.client.Screen;
import java.io.PrintWriter;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of the runnable jar. {@link Commands} lists the commands. */
@Command(
        name = "longhaul",
        description = "Durable jobs that outlive a request, on PostgreSQL.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "longhaul COMMAND --help describes a command.",
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
        Screen screen = Screen.ofProcess(out, err);
        System.exit(commandLine(screen, args.length == 0 ? "" : args[0]).execute(args));
    }

    public static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        return commandLine(Screen.plain(out, err));
    }

    /** Creates the parser with all commands. */
    static CommandLine commandLine(Screen screen) {
        return commandLine(screen, "");
    }

    /**
     * Creates the parser with only the named command, which starts faster; with all commands if the name is unknown.
     */
    static CommandLine commandLine(Screen screen, String only) {
        var longhaul = new CommandLine(new Main());
        Commands.all()
                .filter(command -> command.name().equals(only))
                .findFirst()
                .map(Stream::of)
                .orElseGet(Commands::all)
                .forEach(command ->
                        longhaul.addSubcommand(command.name(), command.make().apply(screen)));
        var errors = new ErrorReport(screen);
        longhaul.setOut(screen.out())
                .setErr(screen.err())
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(errors::failed)
                .setParameterExceptionHandler(errors::invalid);
        HelpText.install(longhaul, screen);
        longhaul.getCommandSpec().version(Version.line());
        longhaul.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().version(Version.line()));
        return longhaul;
    }
}
