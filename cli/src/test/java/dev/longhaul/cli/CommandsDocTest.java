package dev.longhaul.cli;

import dev.longhaul.testing.PrintedPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Prints docs/reference/commands.md from the commands themselves; {@code -Dlonghaul.docs=write} rewrites the page. */
class CommandsDocTest {
    /** Options that many commands share; the page lists them once. */
    private static final Set<String> SHARED =
            Set.of("--url", "--key-file", "--ca-file", "--json", "--color", "--help", "--version");
    /** Their options are the settings. */
    private static final Set<String> WITH_SETTINGS = Set.of("dev", "server", "worker");

    @Test
    void the_page_lists_every_command() throws IOException {
        PrintedPage.check("reference/commands.md", "cli", printed());
    }

    private static String printed() {
        var nowhere = new PrintWriter(Writer.nullWriter());
        CommandLine longhaul = Main.commandLine(nowhere, nowhere);
        var shared = new StringBuilder();
        var commands = new StringBuilder();
        for (CommandLine command : distinct(longhaul)) {
            write(commands, "longhaul", command);
        }
        for (OptionSpec option : Objects.requireNonNull(
                        longhaul.getSubcommands().get("list"))
                .getCommandSpec()
                .options()) {
            if (SHARED.contains(option.longestName())) {
                row(shared, names(option), option.description());
            }
        }
        return """
            # Commands

            Printed from the code by `CommandsDocTest`; do not edit. In a checkout of the sources the command is `./longhaul`.
            Output, environment variables, exit codes, export and import: [command line](cli.md).

            Commands that call a server share these options:

            | option | meaning |
            |---|---|
            %s
            %s\
            """.formatted(shared, commands.toString().stripTrailing() + "\n");
    }

    private static List<CommandLine> distinct(CommandLine parent) {
        return new LinkedHashSet<>(parent.getSubcommands().values())
                .stream()
                        .filter(command ->
                                !command.getCommandSpec().usageMessage().hidden())
                        .toList();
    }

    private static void write(StringBuilder page, String parent, CommandLine command) {
        String name = parent + " " + command.getCommandName();
        var usage = command.getCommandSpec().usageMessage();
        page.append("## ")
                .append(name)
                .append("\n\n")
                .append(String.join(" ", usage.description()))
                .append("\n\n");
        if (WITH_SETTINGS.contains(command.getCommandName())) {
            page.append("Options: the [settings](settings.md).\n\n");
            return;
        }
        var rows = new StringBuilder();
        for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
            row(rows, "`" + parameter.paramLabel() + "`", parameter.description());
        }
        command.getCommandSpec().options().stream()
                .filter(option -> !SHARED.contains(option.longestName()))
                .sorted(Comparator.comparing(OptionSpec::longestName))
                .forEach(option -> row(rows, names(option), option.description()));
        if (!rows.isEmpty()) {
            page.append("| option | meaning |\n|---|---|\n").append(rows).append('\n');
        }
        for (CommandLine below : distinct(command)) {
            write(page, name, below);
        }
    }

    private static String names(OptionSpec option) {
        String label = option.paramLabel();
        String value = option.arity().max() == 0 ? "" : option.arity().min() == 0 ? "[=" + label + "]" : " " + label;
        return "`" + String.join("`, `", option.names()) + value.replace("|", "\\|") + "`";
    }

    private static void row(StringBuilder rows, String name, String[] description) {
        rows.append(
                "| %s | %s |%n".formatted(name, String.join(" ", description).replace("|", "\\|")));
    }
}
