package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;

/** A command that sends one request. Consists of a name, a request, arguments, and the view of the response. */
public final class RestCommand {
    final String method;
    final String path;
    private final String name;
    private final String[] description;
    private final List<Argument<?>> arguments = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();
    private final List<Supplier<?>> mixins = new ArrayList<>();
    private boolean repeatable;
    private Action action = call -> ExitCode.OK;

    private RestCommand(String name, String method, String path, String... description) {
        this.name = name;
        this.method = method;
        this.path = path;
        this.description = description;
    }

    /** Prints a formatted response. Not used with {@code --json}, which prints the response unchanged. */
    public interface View {
        void print(Screen screen, JsonNode response);
    }

    /** Executes a command that does more than send a request and print its response. Returns the exit code. */
    public interface Action {
        int run(Call call) throws Exception;
    }

    private record Group(boolean exclusive, List<Argument<?>> arguments) {}

    public static RestCommand get(String name, String path, String... description) {
        return new RestCommand(name, "GET", path, description);
    }

    public static RestCommand post(String name, String path, String... description) {
        return new RestCommand(name, "POST", path, description);
    }

    public static RestCommand patch(String name, String path, String... description) {
        return new RestCommand(name, "PATCH", path, description);
    }

    public static RestCommand delete(String name, String path, String... description) {
        return new RestCommand(name, "DELETE", path, description);
    }

    public RestCommand arguments(Argument<?>... more) {
        return arguments(Arrays.asList(more));
    }

    public RestCommand arguments(List<Argument<?>> more) {
        arguments.addAll(more);
        return this;
    }

    /** Adds mutually exclusive options; at most one of them may be given. */
    public RestCommand oneOf(Argument<?>... options) {
        groups.add(new Group(true, Arrays.asList(options)));
        return this;
    }

    /** Adds a group of options that may be given only together with the required options of the group. */
    public RestCommand together(Argument<?>... options) {
        groups.add(new Group(false, Arrays.asList(options)));
        return this;
    }

    /** Adds options declared by annotations; {@link Call#mixin} returns them. */
    public RestCommand mixin(Supplier<?> options) {
        mixins.add(options);
        return this;
    }

    /** Adds {@code --watch}, which runs the command again and again. */
    public RestCommand repeatable() {
        repeatable = true;
        return arguments(Refresh.OPTION);
    }

    boolean isRepeatable() {
        return repeatable;
    }

    public String name() {
        return name;
    }

    public RestCommand shows(View view) {
        return runs(call -> {
            call.show(call.send(), view);
            return ExitCode.OK;
        });
    }

    public RestCommand runs(Action what) {
        action = what;
        return this;
    }

    /** Returns the command for the parser. It writes to the screen. */
    public CommandLine on(Screen screen) {
        var call = new Call(this, action, screen);
        CommandSpec spec = CommandSpec.forAnnotatedObject(call).name(name).mixinStandardHelpOptions(true);
        spec.usageMessage().description(description);
        for (Supplier<?> mixin : mixins) {
            Object options = mixin.get();
            spec.addMixin(options.getClass().getName(), CommandSpec.forAnnotatedObject(options));
        }
        arguments.forEach(argument -> spec.add(call.spec(argument)));
        for (Group group : groups) {
            var builder = ArgGroupSpec.builder().exclusive(group.exclusive);
            group.arguments.forEach(argument -> builder.addArg(call.spec(argument)));
            spec.addArgGroup(builder.build());
        }
        return new CommandLine(spec);
    }

    /** Returns a command with subcommands. */
    public static CommandLine group(Screen screen, String name, List<String> description, RestCommand... commands) {
        CommandSpec spec = CommandSpec.create().name(name).mixinStandardHelpOptions(true);
        spec.usageMessage().description(description.toArray(String[]::new)).synopsisSubcommandLabel("COMMAND");
        var group = new CommandLine(spec);
        for (RestCommand command : commands) {
            group.addSubcommand(command.on(screen));
        }
        return group;
    }
}
