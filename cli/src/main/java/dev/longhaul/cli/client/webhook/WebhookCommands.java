package dev.longhaul.cli.client.webhook;

import static dev.longhaul.cli.client.Argument.choice;
import static dev.longhaul.cli.client.Argument.labels;
import static dev.longhaul.cli.client.Argument.number;
import static dev.longhaul.cli.client.Argument.positional;
import static dev.longhaul.cli.client.Argument.text;
import static dev.longhaul.cli.client.Argument.texts;
import static dev.longhaul.cli.client.RestCommand.delete;
import static dev.longhaul.cli.client.RestCommand.get;
import static dev.longhaul.cli.client.RestCommand.patch;
import static dev.longhaul.cli.client.RestCommand.post;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Argument;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.RestCommand;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.SecretFile;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** The commands about webhooks and their deliveries. */
public final class WebhookCommands {
    private static final String NONE = "none";
    private static final String ONE = "/v1/webhooks/{WEBHOOK}";

    private static final Table WEBHOOKS = new Table(
            Column.of("WEBHOOK", "id").uncut(),
            Column.of("URL", "url"),
            Column.of(
                    "EVENTS",
                    webhook -> webhook.path("ofJobs").asBoolean()
                            ? "as each job says"
                            : ResponseText.joined(webhook.path("events"))),
            Column.of("STATE", WebhookCommands::state));

    private static final Table DELIVERIES = new Table(
            Column.of("DELIVERY", "id").uncut(),
            Column.of("EVENT", "event"),
            Column.of("STATE", "state"),
            Column.of("TRIES", "tries"),
            Column.age("AGE", "at"),
            Column.orDash("NEXT TRY", "nextTryAt"),
            Column.orDash("JOB", "jobId").uncut());

    private static final Table ATTEMPTS = new Table(
            Column.of("TRY", "number"),
            Column.of("ENDED AT", "endedAt"),
            Column.of("TOOK", attempt -> attempt.path("tookMillis").asText() + " ms"),
            Column.orDash("STATUS", "status"),
            Column.orDash("ERROR", "error"));

    private static final Argument<String> WEBHOOK = positional("WEBHOOK", "Its id.");

    /** What a webhook receives, and what signs it. */
    private static final List<Argument<?>> OPTIONS = List.of(
            texts(
                            "--event",
                            "EVENT",
                            "job.started, job.succeeded, job.failed, job.retrying, job.cancelled, job.ended, schedule.missed,"
                                    + " queue.stalled or database.failover; several with commas.")
                    .separatedByCommas()
                    .field("events"),
            texts("--definition", "KEY", "Only of these definitions; none: of all.")
                    .separatedByCommas()
                    .puts((webhook, keys) -> putFilter(webhook, "definitionKeys", keys)),
            texts("--queue", "QUEUE", "Only of these queues; none: of all.")
                    .separatedByCommas()
                    .puts((webhook, queues) -> putFilter(webhook, "queues", queues)),
            labels("--label", "Only of jobs with this label; none: whatever their labels.")
                    .valueOptional()
                    .puts(WebhookCommands::putLabels),
            text(
                            "--secret-file",
                            "FILE",
                            "A file with its secret, whsec_…, or - for standard input.",
                            "Two lines while the receiver changes over: it is signed with both.")
                    .puts((webhook, file) ->
                            webhook.set("secrets", Api.JSON.valueToTree(SecretFile.read("secret-file", file)))));

    private WebhookCommands() {}

    public static CommandLine group(Screen screen) {
        return RestCommand.group(
                screen,
                "webhooks",
                List.of("Lists, makes and tries out webhooks, and sends deliveries again."),
                get("list", "/v1/webhooks", "Lists all webhooks.").shows(WEBHOOKS.list("webhooks")),
                get("get", ONE, "Shows all of a webhook but its secrets: which jobs it is told of, whether it fails.")
                        .arguments(WEBHOOK)
                        .shows(WebhookCommands::details),
                post(
                                "create",
                                "/v1/webhooks",
                                "Makes a webhook and prints its id and, unless it is given, its secret: once, nobody can look that up later.",
                                "Such as: webhooks create https://hooks.example.com/jobs --event job.failed")
                        .arguments(positional("URL", "Where to send to.").field("url"))
                        .arguments(OPTIONS)
                        .runs(WebhookCommands::create),
                patch("edit", ONE, "Changes what is given and leaves the rest as it is.")
                        .arguments(
                                WEBHOOK,
                                text("--to", "URL", "Where to send to, also what waits already.")
                                        .field("url"),
                                choice("--enabled", "Whether it is told anything.")
                                        .field("enabled"))
                        .arguments(OPTIONS)
                        .shows(WEBHOOKS.one()),
                post("test", ONE + "/test", "Sends an event webhook.test and prints the id of its delivery.")
                        .arguments(WEBHOOK)
                        .shows((out, delivery) ->
                                out.out().println(delivery.path("id").asText())),
                get("deliveries", ONE + "/deliveries", "Lists what was and is to be sent, newest first.")
                        .arguments(
                                WEBHOOK,
                                text("--state", "STATE", "pending, delivered or parked.")
                                        .field("state"),
                                number("--limit", "N", "1 to 500; 50 if not given.")
                                        .field("limit"),
                                text("--cursor", "CURSOR", "The page after the one that named this cursor.")
                                        .field("cursor"))
                        .shows(DELIVERIES.list("deliveries")),
                get("show", ONE + "/deliveries/{DELIVERY}", "Shows what came of each try of a delivery.")
                        .arguments(WEBHOOK, positional("DELIVERY", "Its id."))
                        .shows(WebhookCommands::attempts),
                post(
                                "redeliver",
                                ONE + "/redeliver",
                                "Sends a delivery now, whether it was delivered or parked or waits for its next try, and with new patience.",
                                "Or all that are parked, such as after an outage: webhooks redeliver WEBHOOK --state parked")
                        .arguments(
                                WEBHOOK,
                                positional("DELIVERY", "Its id, if it is one.").optional(),
                                text(
                                                "--state",
                                                "STATE",
                                                "All that are parked, pending, or that were delivered (then with --after).")
                                        .field("state"),
                                text("--after", "TIME", "Of these, only of events from then on.")
                                        .field("after"),
                                text("--before", "TIME", "Of these, only of events before that.")
                                        .field("before"))
                        .runs(WebhookCommands::redeliver),
                delete("delete", ONE, "Removes a webhook with all its deliveries.")
                        .arguments(WEBHOOK)
                        .runs(call -> call.deleted("WEBHOOK")));
    }

    private static String state(JsonNode webhook) {
        if (!webhook.path("enabled").asBoolean()) {
            return "disabled";
        }
        int failures = webhook.path("failures").asInt();
        return failures == 0 ? "enabled" : "failed " + (failures == 1 ? "once" : failures + " times in a row");
    }

    /** The one word none takes the filter away. */
    private static void putFilter(ObjectNode webhook, String field, List<String> texts) {
        webhook.set(field, Api.JSON.valueToTree(texts.equals(List.of(NONE)) ? List.of() : texts));
    }

    private static void putLabels(ObjectNode webhook, Map<String, @Nullable String> labels) {
        ObjectNode object = webhook.putObject("labels");
        if (labels.size() == 1 && labels.containsKey(NONE) && labels.get(NONE) == null) {
            return;
        }
        labels.forEach((key, value) -> {
            if (value == null) {
                throw ServerOptions.bad("--label", key, "KEY=VALUE, or none alone");
            }
            object.put(key, value);
        });
    }

    private static void details(Screen screen, JsonNode webhook) {
        ObjectNode plain = webhook.deepCopy();
        for (String list : List.of("events", "definitionKeys", "queues")) {
            plain.put(list, plain.path(list).isEmpty() ? "all" : ResponseText.joined(plain.path(list)));
        }
        ResponseText.fields(screen, plain);
    }

    private static int create(Call call) {
        call.show(call.send(), (screen, webhook) -> {
            screen.out().println(webhook.path("id").asText());
            if (!call.given("--secret-file")) {
                screen.out().println(webhook.path("secret").asText());
            }
        });
        return ExitCode.OK;
    }

    private static void attempts(Screen screen, JsonNode delivery) {
        DELIVERIES.print(screen, List.of(delivery));
        screen.out().println();
        ATTEMPTS.print(screen, delivery.path("attempts"));
    }

    private static int redeliver(Call call) {
        String delivery = call.text("DELIVERY");
        boolean all = call.given("--state");
        if (all == (delivery != null)) {
            throw ServerOptions.bad("delivery", all ? "one, and --state" : NONE, "either DELIVERY or --state");
        }
        if (!all && call.given("--after", "--before")) {
            throw ServerOptions.bad("state", NONE, "one with --after and --before");
        }
        if (delivery == null) {
            return redeliverAll(call);
        }
        String path = "/v1/webhooks/" + Api.segment(call.required("WEBHOOK")) + "/deliveries/" + Api.segment(delivery);
        call.show(call.api().send("POST", path + "/redeliver", null), DELIVERIES.one());
        return ExitCode.OK;
    }

    /** The server sends so many again per call. */
    private static int redeliverAll(Call call) {
        long count = 0;
        ObjectNode request = call.request();
        String next;
        do {
            JsonNode done = call.send(call.path(), request).json();
            count += done.path("redelivered").asLong();
            next = done.path("nextAfter").textValue();
            request.put("after", next);
        } while (next != null);
        call.screen().out().println(call.json() ? "{\"redelivered\":" + count + "}" : count + " redelivered");
        return ExitCode.OK;
    }
}
