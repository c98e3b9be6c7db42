package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** One invocation of a {@link RestCommand}: its parsed arguments and its server. */
public final class Call implements Callable<Integer> {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([A-Z]+)}");

    private final RestCommand command;
    private final RestCommand.Action action;
    private Screen screen;
    private final Map<Argument<?>, ArgSpec> arguments = new LinkedHashMap<>();
    private @Nullable Api api;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    Call(RestCommand command, RestCommand.Action action, Screen screen) {
        this.command = command;
        this.action = action;
        this.screen = screen;
    }

    /** Adds an argument; returns its specification for the parser. */
    ArgSpec spec(Argument<?> argument) {
        long index = arguments.keySet().stream().filter(Argument::isPositional).count();
        ArgSpec parsed = argument.spec((int) index);
        arguments.put(argument, parsed);
        return parsed;
    }

    @Override
    public Integer call() throws Exception {
        screen = screen.with(server.color());
        Duration interval = command.isRepeatable() ? span(Refresh.NAME) : null;
        int exitCode = interval == null ? action.run(this) : new Refresh(screen, interval).run(this::frame);
        screen.out().flush();
        return exitCode;
    }

    /** Runs the command once and writes its output to a buffer. */
    private void frame(Screen buffer) throws Exception {
        screen = buffer;
        action.run(this);
    }

    public Screen screen() {
        return screen;
    }

    public Api api() {
        if (api == null) {
            api = server.api();
        }
        return api;
    }

    /** Returns whether the command line or the environment names a server or a key. */
    public boolean hasServer() {
        return server.given();
    }

    /** Returns whether to print JSON. */
    public boolean json() {
        return server.json();
    }

    /** Returns the value of a text argument by its option or label; null if absent. */
    @Nullable
    public String text(String name) {
        return (String) value(name);
    }

    /** Returns the value of a required text argument. */
    public String required(String name) {
        return Objects.requireNonNull(text(name), name);
    }

    @Nullable
    public Integer number(String name) {
        return (Integer) value(name);
    }

    @Nullable
    public Duration span(String name) {
        return (Duration) value(name);
    }

    public boolean flag(String name) {
        return Boolean.TRUE.equals(value(name));
    }

    public List<String> texts(String name) {
        return value(name) instanceof List<?> values
                ? values.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Returns whether any of these arguments is present. */
    public boolean given(String... names) {
        for (String name : names) {
            if (value(name) != null) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Object value(String name) {
        return arguments.entrySet().stream()
                .filter(argument -> argument.getKey().isNamed(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no argument " + name))
                .getValue()
                .getValue();
    }

    public <T> T mixin(Class<T> type) {
        return type.cast(
                Objects.requireNonNull(spec.mixins().get(type.getName())).userObject());
    }

    /** Returns the fields of the request that the present arguments set. */
    public ObjectNode request() {
        ObjectNode request = Json.object();
        arguments.forEach((argument, parsed) -> {
            Object value = parsed.getValue();
            if (value != null) {
                argument.fill(request, value);
            }
        });
        return request;
    }

    /** Returns the command's path, with its placeholders replaced by positional arguments. */
    public String path() {
        return path(this::required);
    }

    /** Returns the command's path, with its placeholder replaced by the value. */
    public String pathOf(String value) {
        return path(place -> value);
    }

    private String path(UnaryOperator<String> values) {
        return PLACEHOLDER
                .matcher(command.path)
                .replaceAll(place -> Matcher.quoteReplacement(Api.segment(values.apply(place.group(1)))));
    }

    /** Sends the command's request. */
    public Api.Reply send() {
        return send(path(), request());
    }

    /**
     * Sends the command's request to another path or with other fields. The fields are the query of a GET, and the body
     * of other methods.
     */
    public Api.Reply send(String path, ObjectNode request) {
        if (command.method.equals("GET")) {
            return api().get(path + Query.of(request));
        }
        boolean bare = arguments.keySet().stream().noneMatch(Argument::fills);
        return api().send(command.method, path, bare ? null : Json.write(request));
    }

    /** Prints a response: unchanged with {@code --json}, otherwise formatted. */
    public void show(Api.Reply reply, RestCommand.View view) {
        if (!json()) {
            view.print(screen, reply.json());
        } else if (!reply.body().isEmpty()) {
            screen.out().println(reply.body());
        }
    }

    /** Sends the command's request, and prints that the object named by the argument is deleted. */
    public int deleted(String name) {
        show(send(), (to, nothing) -> to.out().println(required(name) + " deleted"));
        return CommandLine.ExitCode.OK;
    }

    /** Reports a failure as if the command had thrown it. Returns the exit code. */
    public int report(LonghaulException failure) throws Exception {
        CommandLine line = spec.commandLine();
        return line.getExecutionExceptionHandler().handleExecutionException(failure, line, line.getParseResult());
    }
}
