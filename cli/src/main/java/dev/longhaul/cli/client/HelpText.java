package dev.longhaul.cli.client;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Formats the help of a command. Lines break only at spaces, so that URLs and option names stay complete. */
public final class HelpText {
    /** The options that all commands for a server share. The help lists them last. */
    private static final Set<String> COMMON =
            Set.of("--url", "--key-file", "--ca-file", "--json", "--color", "--help", "--version");

    private static final int DEFAULT_WIDTH = 100;
    private static final int WIDEST = 120;
    private static final int WIDEST_NAME = 30;

    private final Screen screen;
    private final CommandSpec command;
    private final int width;
    private final StringBuilder text = new StringBuilder();

    private HelpText(Screen screen, CommandSpec command) {
        this.screen = screen;
        this.command = command;
        this.width = screen.live() ? Math.min(WIDEST, screen.width()) : DEFAULT_WIDTH;
    }

    /** Makes a command and its subcommands print this help instead of picocli's. */
    public static void install(CommandLine line, Screen screen) {
        line.setHelpSectionKeys(List.of("help"));
        line.setHelpSectionMap(Map.of("help", help -> new HelpText(screen, help.commandSpec()).format()));
    }

    private String format() {
        text.append(heading("Usage:")).append(' ').append(synopsis()).append("\n\n");
        paragraphs(command.usageMessage().description());
        section(
                "Arguments:",
                command.positionalParameters().stream()
                        .map(one -> new String[] {one.paramLabel(), description(one)})
                        .toList());
        List<OptionSpec> options = options();
        section("Options:", rows(options.stream().filter(one -> !isCommon(one))));
        section("Common options:", rows(options.stream().filter(HelpText::isCommon)));
        section(
                "Commands:",
                new LinkedHashSet<>(command.subcommands().values())
                        .stream()
                                .map(CommandLine::getCommandSpec)
                                .filter(one -> !one.usageMessage().hidden())
                                .map(one -> new String[] {
                                    one.name(), one.usageMessage().description()[0]
                                })
                                .toList());
        paragraphs(command.usageMessage().footer());
        return text.toString().stripTrailing() + "\n";
    }

    private String heading(String title) {
        return screen.paint(Style.BOLD, title);
    }

    private String synopsis() {
        var words = new ArrayList<String>(List.of(command.qualifiedName()));
        if (!command.subcommands().isEmpty()) {
            words.add("COMMAND");
        } else {
            words.add("[OPTIONS]");
        }
        options().stream()
                .filter(HelpText::isRequired)
                .forEach(option -> words.add(option.longestName() + " " + option.paramLabel()));
        for (PositionalParamSpec one : command.positionalParameters()) {
            String word = one.paramLabel() + (one.arity().max() > 1 ? "..." : "");
            words.add(one.required() ? word : "[" + word + "]");
        }
        return String.join(" ", words);
    }

    private List<OptionSpec> options() {
        return command.options().stream().filter(option -> !option.hidden()).toList();
    }

    private static boolean isCommon(OptionSpec option) {
        return COMMON.contains(option.longestName());
    }

    /**
     * Returns whether an option is required. An option of a group is required only together with the other options of
     * the group.
     */
    private static boolean isRequired(OptionSpec option) {
        return option.required() && option.group() == null;
    }

    private static List<String[]> rows(Stream<OptionSpec> options) {
        return options.map(option -> new String[] {names(option), description(option)})
                .toList();
    }

    private static String names(OptionSpec option) {
        String names = Stream.of(option.names())
                .sorted((one, other) -> one.length() - other.length())
                .collect(Collectors.joining(", "));
        if (option.arity().max() == 0) {
            return names;
        }
        return names + (option.arity().min() == 0 ? "[=" + option.paramLabel() + "]" : " " + option.paramLabel());
    }

    private static String description(ArgSpec argument) {
        return String.join(" ", argument.description())
                + (argument instanceof OptionSpec option && isRequired(option) ? " Required." : "");
    }

    private void paragraphs(String[] lines) {
        for (String line : lines) {
            text.append(wrapped(line, 0)).append('\n');
        }
        if (lines.length > 0) {
            text.append('\n');
        }
    }

    private void section(String title, List<String[]> rows) {
        if (rows.isEmpty()) {
            return;
        }
        int names = rows.stream()
                .mapToInt(row -> row[0].length())
                .filter(length -> length <= WIDEST_NAME)
                .max()
                .orElse(WIDEST_NAME);
        text.append(heading(title)).append('\n');
        for (String[] row : rows) {
            int indent = names + 4;
            text.append("  ").append(row[0]);
            text.append(row[0].length() > names ? "\n" + " ".repeat(indent) : " ".repeat(indent - 2 - row[0].length()));
            text.append(wrapped(row[1], indent)).append('\n');
        }
        text.append('\n');
    }

    /** Breaks a paragraph at spaces and indents all lines but the first. A word that is too long is not broken. */
    private String wrapped(String paragraph, int indent) {
        var wrapped = new StringBuilder();
        int column = indent;
        for (String word : paragraph.split(" ", -1)) {
            if (column > indent && column + 1 + word.length() > width) {
                wrapped.append('\n').append(" ".repeat(indent));
                column = indent;
            } else if (column > indent) {
                wrapped.append(' ');
                column++;
            }
            wrapped.append(word);
            column += word.length();
        }
        return wrapped.toString();
    }
}
