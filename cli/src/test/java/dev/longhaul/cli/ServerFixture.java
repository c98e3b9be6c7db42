package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.process.command.Commands;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** A real server with a memory store, a few definitions, and a command line that calls it. */
final class ServerFixture implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    record Text(String text, long number) {}

    record Count(int to) {}

    /** Each permit lets one step of {@code test.count} or one {@code test.gate} continue. */
    final Semaphore gate = new Semaphore(0);

    private final JobDefinition<Text, Text> echo =
            JobDefinition.of("test.echo", Text.class, Text.class).handler((params, context) -> params);
    private final JobDefinition<Text, Text> fail = JobDefinition.of("test.fail", Text.class, Text.class)
            .maxAttempts(1)
            .handler((params, context) -> {
                throw new IOException("no room for " + params.text() + " number " + params.number());
            });
    private final JobDefinition<Count, Count> count = JobDefinition.of("test.count", Count.class, Count.class)
            .handler((params, context) -> {
                for (int i = 1; i <= params.to(); i++) {
                    gate.acquire();
                    context.log().info("counted {}", i);
                    context.progress(i * 100 / params.to(), "at " + i);
                }
                context.log().with("to", params.to()).warn("that was all\u001b[31m");
                return params;
            });

    private Longhaul longhaul = Longhaul.builder()
            .memory()
            .register(echo, fail, count, Commands.any())
            .start();
    private final ServerConfig config;
    private LonghaulServer server;

    /** Stops without a grace period: no client is connected when a test has ended. */
    ServerFixture() {
        this(ServerConfig.LOCAL.withDrain(Duration.ZERO));
    }

    ServerFixture(ServerConfig config) {
        this.config = config;
        this.server = LonghaulServer.start(longhaul, config);
    }

    /** The result of a command. */
    record Done(int exitCode, String out, String err) {
        List<String> lines() {
            return out.lines().toList();
        }

        JsonNode json() {
            try {
                return JSON.readTree(out);
            } catch (IOException e) {
                throw new UncheckedIOException(out, e);
            }
        }

        /** Asserts the exit code, with the output in the failure message; returns this. */
        Done exitsWith(int expected) {
            assertThat(exitCode).as("%s%n%s", out, err).isEqualTo(expected);
            return this;
        }
    }

    Longhaul longhaul() {
        return longhaul;
    }

    String url() {
        return "http://127.0.0.1:" + server.port();
    }

    /** Runs a command against this server, with output as to a file. */
    Done run(String... arguments) {
        return run(0, new StringWriter(), arguments);
    }

    /** Runs a command with output as to a terminal of that width without colours. */
    Done onTerminal(int width, String... arguments) {
        return run(new Terminal(width, false, null), new StringWriter(), new StringWriter(), arguments);
    }

    /** Runs a command with output as to a terminal of that width with colours. */
    Done inColors(int width, String... arguments) {
        return run(new Terminal(width, true, null), new StringWriter(), new StringWriter(), arguments);
    }

    /** Runs a command at a terminal on which the user types the answer. */
    Done answering(String answer, String... arguments) {
        return run(new Terminal(100, false, answer + "\n"), new StringWriter(), new StringWriter(), arguments);
    }

    /** Runs a command whose output the test reads while it runs; as to a terminal with colours if there is a width. */
    Done run(int width, StringWriter out, String... arguments) {
        return run(new Terminal(width, width > 0, null), out, new StringWriter(), arguments);
    }

    /** Runs a command whose output and errors the test reads while it runs, as to files. */
    Done run(StringWriter out, StringWriter err, String... arguments) {
        return run(new Terminal(0, false, null), out, err, arguments);
    }

    private Done run(Terminal terminal, StringWriter out, StringWriter err, String... arguments) {
        int end = List.of(arguments).indexOf("--");
        var all = new ArrayList<>(List.of(arguments));
        all.add(end < 0 ? all.size() : end, "--url=" + url());
        return execute(terminal, out, err, all.toArray(String[]::new));
    }

    /** A terminal; a width of 0 means a file. */
    private record Terminal(
            int width, boolean colors, @Nullable String input) {}

    static Done execute(String... arguments) {
        return execute(new Terminal(0, false, null), new StringWriter(), new StringWriter(), arguments);
    }

    private static Done execute(Terminal terminal, StringWriter out, StringWriter err, String... arguments) {
        String input = terminal.input();
        var screen = new Screen(
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                terminal.width(),
                0,
                terminal.colors(),
                terminal.colors(),
                input == null ? null : new BufferedReader(new StringReader(input)));
        int exitCode = Main.commandLine(screen).execute(arguments);
        return new Done(exitCode, out.toString(), err.toString());
    }

    /** Submits a job and returns its id. */
    String submit(String... arguments) {
        var all = new ArrayList<>(List.of("submit"));
        all.addAll(List.of(arguments));
        return run(all.toArray(String[]::new)).exitsWith(0).out().strip();
    }

    JobStatus status(String id) {
        return longhaul.store().jobs().find(JobId.parse(id)).orElseThrow().status();
    }

    void awaitStatus(String id, JobStatus status) {
        Waits.until(() -> status(id) == status, () -> id + " is " + status(id));
    }

    /** Restarts the server on the same port with the same store. */
    void restartServer() {
        whileStopped(() -> {});
    }

    /** Runs the action between a stop of the server and its start on the same port with the same store. */
    void whileStopped(Runnable action) {
        int port = server.port();
        server.close();
        action.run();
        server = LonghaulServer.start(longhaul, config.withPort(port));
    }

    @Override
    public void close() {
        gate.release(1_000_000);
        server.close();
        longhaul.close();
    }
}
