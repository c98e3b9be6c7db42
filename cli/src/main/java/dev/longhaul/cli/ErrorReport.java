package dev.longhaul.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Json;
import dev.longhaul.cli.client.NearestName;
import dev.longhaul.cli.client.Problem;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.embedded.EmbeddedPostgresException;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints errors and maps them to exit codes. Prints one line per error or, with {@code --json}, a problem document. */
final class ErrorReport {
    private final Screen screen;

    ErrorReport(Screen screen) {
        this.screen = screen;
    }

    /** Reports the failure of a command. */
    int failed(Exception failure, CommandLine command, CommandLine.ParseResult arguments) {
        List<String> given = arguments == null ? List.of() : arguments.originalArgs();
        Screen to = screen(given);
        if (failure instanceof LonghaulException known) {
            return known(known, to, given);
        }
        if (failure instanceof EmbeddedPostgresException known) {
            return known(new LonghaulException(ErrorCode.UNAVAILABLE, String.valueOf(known.getMessage())), to, given);
        }
        return unexpected(failure, to, given);
    }

    private static int unexpected(Exception failure, Screen to, List<String> given) {
        if (isJson(given)) {
            var stack = new StringWriter();
            failure.printStackTrace(new PrintWriter(stack));
            ObjectNode problem = Problem.own(new LonghaulException(ErrorCode.INTERNAL, failure.toString()));
            to.err().println(Json.write(problem.put("stack", stack.toString())));
        } else {
            to.err().print("longhaul: ");
            failure.printStackTrace(to.err());
        }
        to.err().flush();
        return ExitCodes.of(ErrorCode.INTERNAL);
    }

    private static int known(LonghaulException failure, Screen to, List<String> given) {
        if (isJson(given)) {
            to.err().println(Json.write(Problem.json(failure)));
            to.err().flush();
        } else if (failure.errors().isEmpty()) {
            to.error(String.valueOf(failure.getMessage()));
        } else {
            failure.errors().forEach(problem -> to.error(problem.toString()));
        }
        return ExitCodes.of(failure.code());
    }

    /** Reports wrong usage. */
    int invalid(ParameterException failure, String[] arguments) {
        List<String> given = Arrays.asList(arguments);
        CommandLine command = failure.getCommandLine();
        boolean noCommand = !command.getSubcommands().isEmpty() && !(failure instanceof UnmatchedArgumentException);
        if (noCommand) {
            command.usage(screen.err());
            return ExitCodes.of(ErrorCode.INVALID_ARGUMENT);
        }
        String message = message(failure);
        Screen to = screen(given);
        if (isJson(given)) {
            ObjectNode problem = Json.object();
            problem.put("code", ErrorCode.INVALID_ARGUMENT.name().toLowerCase(Locale.ROOT));
            to.err().println(Json.write(problem.put("detail", message)));
        } else {
            to.error(message);
            to.err().println("See " + command.getCommandSpec().qualifiedName() + " --help");
        }
        to.err().flush();
        return ExitCodes.of(ErrorCode.INVALID_ARGUMENT);
    }

    private static String message(ParameterException failure) {
        if (failure instanceof UnmatchedArgumentException unmatched) {
            return unmatched(unmatched, failure.getCommandLine());
        }
        if (failure instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            return missing.getMissing().stream()
                    .map(one -> one instanceof OptionSpec option ? option.longestName() : one.paramLabel())
                    .collect(Collectors.joining(", ", "missing: ", ""));
        }
        return String.valueOf(failure.getMessage())
                .replace("option option", "option")
                .replace("\n", " ");
    }

    private static String unmatched(UnmatchedArgumentException failure, CommandLine command) {
        String word = failure.getUnmatched().get(0);
        CommandSpec spec = command.getCommandSpec();
        List<String> candidates = new ArrayList<>();
        String kind;
        if (word.startsWith("-")) {
            kind = "unknown option ";
            spec.options().forEach(option -> candidates.addAll(List.of(option.names())));
        } else if (!command.getSubcommands().isEmpty()) {
            kind = "unknown command ";
            command.getSubcommands().forEach((name, one) -> {
                if (!one.getCommandSpec().usageMessage().hidden()) {
                    candidates.add(name);
                }
            });
        } else {
            kind = "unexpected argument ";
        }
        int value = word.indexOf('=');
        String name = Screen.withoutControls(value < 0 ? word : word.substring(0, value));
        String nearest = NearestName.of(name, candidates);
        return kind + name + (nearest == null ? "" : "; did you mean " + nearest + "?");
    }

    private static boolean isJson(List<String> arguments) {
        return options(arguments).contains("--json");
    }

    /**
     * Returns the screen with the colours that the command line requests. If the requested value is invalid, returns it
     * with the default colours.
     */
    private Screen screen(List<String> arguments) {
        List<String> options = options(arguments);
        for (Screen.Colors when : Screen.Colors.values()) {
            int at = options.indexOf("--color");
            boolean separate =
                    at >= 0 && at + 1 < options.size() && options.get(at + 1).equals(when.name());
            if (separate || options.contains("--color=" + when)) {
                return screen.with(when);
            }
        }
        return screen;
    }

    private static List<String> options(List<String> arguments) {
        int end = arguments.indexOf("--");
        return end < 0 ? arguments : arguments.subList(0, end);
    }
}
