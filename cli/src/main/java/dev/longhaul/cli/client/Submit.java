package dev.longhaul.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Asks for a job, and waits for it if told to. */
@Command(
        name = "submit",
        description = {
            "Asks for a job and prints its id.",
            "With --wait or --follow it stays until the job has ended; exit code: 0 succeeded, 10 failed, 11 cancelled, 12 still going."
        },
        mixinStandardHelpOptions = true)
final class Submit implements Callable<Integer> {
    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "KEY", description = "The definition, such as demo.echo; key@2 asks for version 2.")
    private String definition = "";

    @Option(
            names = "--params",
            paramLabel = "JSON",
            description = "The job's params: JSON, @file, or - for standard input.")
    private String params = "{}";

    @Option(names = "--name", paramLabel = "TEXT", description = "A name for people.")
    private @Nullable String name;

    @Option(names = "--queue", paramLabel = "QUEUE", description = "Instead of the definition's queue.")
    private @Nullable String queue;

    @Option(names = "--priority", paramLabel = "N", description = "-1000 to 1000, higher first.")
    private @Nullable Integer priority;

    @Option(names = "--run-at", paramLabel = "TIME", description = "Not before, such as 2031-05-01T06:00:00Z.")
    private @Nullable String runAt;

    @Option(names = "--delay", paramLabel = "SPAN", converter = Span.class, description = "Not before 90s, 5m, 2h, 7d.")
    private @Nullable Duration delay;

    @Option(names = "--attempts", paramLabel = "N", description = "How often it is tried at most.")
    private @Nullable Integer attempts;

    @Option(
            names = "--timeout",
            paramLabel = "SPAN",
            converter = Span.class,
            description = "How long one attempt may take.")
    private @Nullable Duration timeout;

    @Option(names = "--key", paramLabel = "TEXT", description = "Idempotency key: asking again answers the same job.")
    private @Nullable String key;

    @Option(names = "--correlation-id", paramLabel = "ID", description = "Your own id for what this belongs to.")
    private @Nullable String correlationId;

    @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label; may be given several times.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--hold", description = "Do not run it until it is released.")
    private boolean hold;

    @ArgGroup
    private @Nullable Staying staying;

    @Option(
            names = "--wait-timeout",
            paramLabel = "SPAN",
            converter = Span.class,
            description = "With --wait or --follow: leave after that long (exit code 12).")
    private @Nullable Duration waitTimeout;

    /** Two ways to wait for the end. */
    private static final class Staying {
        @Option(names = "--wait", description = "Wait until the job has ended, then print its result.")
        private boolean untilEnd;

        @Option(names = "--follow", description = "Show progress and log lines until the job has ended.")
        private boolean follow;
    }

    Submit(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws InterruptedException {
        Api api = server.api();
        Api.Reply reply = api.post("/v1/jobs", body());
        JsonNode job = reply.json();
        String id = job.path("jobId").asText();
        boolean waits = staying != null && staying.untilEnd;
        if (!server.json()) {
            screen.out().println(id);
        } else if (!waits) {
            screen.out().println(reply.body());
        }
        screen.out().flush();
        var deadline = new Deadline(waitTimeout);
        if (staying != null && staying.follow) {
            return new Watching(api, screen, server.json()).watch(id, deadline);
        }
        return waits ? new Waiting(api, screen, server.json()).await(id, deadline) : ExitCode.OK;
    }

    private String body() {
        ObjectNode body = Api.JSON.createObjectNode();
        int at = definition.lastIndexOf('@');
        body.put("definitionKey", at < 0 ? definition : definition.substring(0, at));
        if (at >= 0) {
            body.put("definitionVersion", version(definition.substring(at + 1)));
        }
        body.putRawValue("params", new RawValue(oneValue(paramsText())));
        putText(body, "name", name);
        putText(body, "queue", queue);
        putNumber(body, "priority", priority);
        putText(body, "runAt", runAt);
        putNumber(body, "delaySeconds", seconds(delay));
        putNumber(body, "maxAttempts", attempts);
        putNumber(body, "timeoutSeconds", seconds(timeout));
        putText(body, "idempotencyKey", key);
        putText(body, "correlationId", correlationId);
        if (!labels.isEmpty()) {
            ObjectNode object = body.putObject("labels");
            labels.forEach(object::put);
        }
        if (hold) {
            body.put("hold", true);
        }
        return body.toString();
    }

    private static void putText(ObjectNode body, String field, @Nullable String value) {
        if (value != null) {
            body.put(field, value);
        }
    }

    private static void putNumber(ObjectNode body, String field, @Nullable Number value) {
        if (value != null) {
            body.put(field, value.longValue());
        }
    }

    /** Whole seconds, rounded up: never sooner than asked for. */
    private static @Nullable Long seconds(@Nullable Duration span) {
        return span == null ? null : span.plusMillis(999).toSeconds();
    }

    private static int version(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw ServerOptions.bad("definition", "@" + text, "key@version, such as demo.echo@1");
        }
    }

    private String paramsText() {
        try {
            if (params.equals("-")) {
                return new String(System.in.readAllBytes(), UTF_8);
            }
            return params.startsWith("@") ? Files.readString(Path.of(params.substring(1))) : params;
        } catch (IOException e) {
            throw ServerOptions.bad("params", params, "JSON, @ and a UTF-8 text file that can be read, or -");
        }
    }

    /** The text, which must be one JSON value: it goes into the request as it is, so that no number is rounded on its way. */
    private static String oneValue(String text) {
        try (JsonParser parser = Api.JSON.createParser(text)) {
            boolean any = parser.nextToken() != null;
            parser.skipChildren();
            if (any && parser.nextToken() == null) {
                return text.strip();
            }
        } catch (IOException e) {
            // Said below.
        }
        throw ServerOptions.bad("params", text.strip(), "one JSON value, such as {\"millis\": 100}");
    }
}
