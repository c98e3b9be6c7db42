package dev.longhaul.cli.client.completion;

import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.KnownNames;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;

/**
 * Prints the words that can complete a command line, one per line, with a description after a tab. {@code :files} means
 * that the shell should offer files. The label of an argument determines its possible values.
 */
@Command(name = "complete", hidden = true, description = "Prints completions of a command line, for shells.")
public final class Candidates implements Runnable {
    private static final String FILES = ":files";

    /** Possible values of arguments, by the label of the argument. */
    private static final Map<String, List<String>> VALUES = Map.of(
            "STATUS",
            List.of(
                    "created",
                    "scheduled",
                    "queued",
                    "retrying",
                    "running",
                    "cancelling",
                    "succeeded",
                    "failed",
                    "cancelled"),
            "ROLE",
            List.of("viewer", "submitter", "operator", "admin", "worker"),
            "WHEN",
            List.of("auto", "always", "never"),
            "ORDER",
            List.of("newest", "oldest"),
            "STATE",
            List.of("pending", "delivered", "parked"),
            "true|false",
            List.of("true", "false"),
            "SHELL",
            List.of("bash", "zsh", "fish"));

    private final Screen screen;
    private final Supplier<CommandLine> program;

    @Parameters(arity = "0..*", description = "The words after the program's name; the last one is incomplete.")
    private List<String> words = List.of();

    public Candidates(Screen screen, Supplier<CommandLine> program) {
        this.screen = screen;
        this.program = program;
    }

    @Override
    public void run() {
        List<String> line = joined(words);
        String last = line.isEmpty() ? "" : line.get(line.size() - 1);
        List<String> before = line.isEmpty() ? List.of() : line.subList(0, line.size() - 1);
        candidates(before, last).forEach(screen.out()::println);
        screen.out().flush();
    }

    /** Joins options and their values again, because bash passes {@code --status=failed} as three words. */
    private static List<String> joined(List<String> words) {
        List<String> joined = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            boolean value = words.get(i).equals("=") && !joined.isEmpty();
            if (value && i + 1 < words.size()) {
                joined.add(words.get(++i));
            } else if (value) {
                joined.add("");
            } else {
                joined.add(words.get(i));
            }
        }
        return joined;
    }

    private Collection<String> candidates(List<String> before, String last) {
        CommandSpec command = program.get().getCommandSpec();
        int positional = 0;
        OptionSpec open = null;
        for (String word : before) {
            if (open != null) {
                open = null;
            } else if (word.startsWith("-")) {
                OptionSpec option = command.findOption(word);
                open = option != null && option.arity().min() > 0 ? option : null;
            } else if (command.subcommands().containsKey(word)) {
                command = command.subcommands().get(word).getCommandSpec();
            } else {
                positional++;
            }
        }
        if (open != null) {
            return values(open.paramLabel(), before, "", last);
        }
        int equals = last.indexOf('=');
        if (last.startsWith("-") && equals > 0) {
            OptionSpec option = command.findOption(last.substring(0, equals));
            String given = last.substring(0, equals + 1);
            return option == null ? List.of() : values(option.paramLabel(), before, given, last.substring(equals + 1));
        }
        if (last.startsWith("-")) {
            return options(command, last);
        }
        return command.subcommands().isEmpty()
                ? positionals(command, positional, before, last)
                : commands(command, last);
    }

    private static List<String> options(CommandSpec command, String start) {
        return command.options().stream()
                .filter(option -> !option.hidden() && option.longestName().startsWith(start))
                .map(option -> option.longestName() + "\t" + option.description()[0])
                .toList();
    }

    private static List<String> commands(CommandSpec command, String start) {
        return command.subcommands().entrySet().stream()
                .filter(one -> one.getKey().startsWith(start)
                        && !one.getValue().getCommandSpec().usageMessage().hidden())
                .map(one -> one.getKey() + "\t"
                        + one.getValue().getCommandSpec().usageMessage().description()[0])
                .toList();
    }

    private Collection<String> positionals(CommandSpec command, int index, List<String> before, String last) {
        for (PositionalParamSpec one : command.positionalParameters()) {
            if (one.index().contains(index)) {
                return values(one.paramLabel(), before, "", last);
            }
        }
        return List.of();
    }

    /** Returns the possible values of an argument. In a list separated by commas, the last value is completed. */
    private Collection<String> values(String label, List<String> before, String given, String last) {
        if (label.equals("FILE") || label.equals("DIR") || label.equals("DIRECTORY")) {
            return List.of(FILES);
        }
        int comma = last.lastIndexOf(',') + 1;
        String start = last.substring(comma);
        Collection<String> names = VALUES.containsKey(label) ? VALUES.get(label) : fromServer(label, before);
        return names.stream()
                .filter(name -> name.startsWith(start))
                .map(name -> given + last.substring(0, comma) + name)
                .toList();
    }

    /** Returns names that exist on the server; none if it is unavailable, because a shell cannot show an error here. */
    private static Collection<String> fromServer(String label, List<String> before) {
        try {
            return switch (label) {
                case "QUEUE" -> KnownNames.queues(server(before));
                case "DEFINITION" -> KnownNames.definitions(server(before));
                case "SCHEDULE" -> KnownNames.schedules(server(before));
                default -> List.of();
            };
        } catch (LonghaulException e) {
            return List.of();
        }
    }

    /** Returns the server that the incomplete command would call. */
    private static Api server(List<String> words) {
        String url = value(words, "--url");
        String key = value(words, "--key-file");
        List<String> options = new ArrayList<>();
        if (url != null) {
            options.add("--url=" + url);
        }
        if (key != null) {
            options.add("--key-file=" + key);
        }
        return CommandLine.populateCommand(new ServerOptions(), options.toArray(String[]::new))
                .api();
    }

    private static @Nullable String value(List<String> words, String option) {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).startsWith(option + "=")) {
                return words.get(i).substring(option.length() + 1);
            }
            if (words.get(i).equals(option) && i + 1 < words.size()) {
                return words.get(i + 1);
            }
        }
        return null;
    }
}
