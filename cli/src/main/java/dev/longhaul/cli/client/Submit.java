package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
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

    @Option(names = "--params", paramLabel = "JSON", description = ParamsText.FORMS)
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

    @ArgGroup(exclusive = false)
    private @Nullable Telling telling;

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

    /** A webhook of its own. */
    private static final class Telling {
        @Option(
                names = "--webhook",
                required = true,
                paramLabel = "URL",
                description = "Who is told over HTTP how it ended.")
        private String url = "";

        @Option(
                names = "--webhook-event",
                paramLabel = "EVENT",
                split = ",",
                description = "With --webhook: what is told instead, such as job.started.")
        private List<String> events = List.of();

        @Option(
                names = "--webhook-secret-file",
                paramLabel = "FILE",
                description =
                        "With --webhook: a file with the secret that signs, whsec_…, instead of those of its host.")
        private @Nullable String secretFile;

        void putInto(ObjectNode webhook) {
            webhook.put("url", url);
            if (!events.isEmpty()) {
                events.forEach(webhook.putArray("events")::add);
            }
            if (secretFile != null) {
                webhook.put("secret", String.join("\n", SecretFile.read("webhook-secret-file", secretFile)));
            }
        }
    }

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
        Body.definition(body, definition);
        body.putRawValue("params", new RawValue(ParamsText.read(params)));
        Body.text(body, "name", name);
        Body.text(body, "queue", queue);
        Body.number(body, "priority", priority);
        Body.text(body, "runAt", runAt);
        Body.number(body, "delaySeconds", Body.seconds(delay));
        Body.number(body, "maxAttempts", attempts);
        Body.number(body, "timeoutSeconds", Body.seconds(timeout));
        Body.text(body, "idempotencyKey", key);
        Body.text(body, "correlationId", correlationId);
        if (!labels.isEmpty()) {
            ObjectNode object = body.putObject("labels");
            labels.forEach(object::put);
        }
        if (telling != null) {
            telling.putInto(body.putObject("webhook"));
        }
        if (hold) {
            body.put("hold", true);
        }
        return body.toString();
    }
}
