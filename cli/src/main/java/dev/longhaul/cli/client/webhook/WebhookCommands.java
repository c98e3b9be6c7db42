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
import dev.longhaul.cli.client.Json;
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

/** The commands for webhooks and their deliveries. */
public final class WebhookCommands {
    private static final String NONE = "none";
    private static final String ONE = "/v1/webhooks/{WEBHOOK}";

    private static final Table WEBHOOKS = new Table(
            Column.id("WEBHOOK", "id"),
            Column.of("URL", "url"),
            Column.of(
                    "EVENTS",
                    webhook -> webhook.path("ofJobs").asBoolean()
                            ? "set per job"
                            : ResponseText.joined(webhook.path("events"))),
            Column.of("STATE", WebhookCommands::state));

    private static final Table DELIVERIES = new Table(
            Column.id("DELIVERY", "id"),
            Column.of("EVENT", "event"),
            Column.of("STATE", "state"),
            Column.number("ATTEMPTS", "tries"),
            Column.time("EVENT AT", "at"),
            Column.time("NEXT ATTEMPT", "nextTryAt"),
            Column.id("JOB", "jobId"));

    private static final Table ATTEMPTS = new Table(
            Column.number("ATTEMPT", "number"),
            Column.time("ENDED AT", "endedAt"),
            Column.number("DURATION", attempt -> attempt.path("tookMillis").asText() + " ms"),
            Column.orDash("STATUS", "status"),
            Column.orDash("ERROR", "error"));

    private static final Argument<String> WEBHOOK = positional("WEBHOOK", "Webhook id.");

    /** Options for the filters and the secrets of a webhook. */
    private static final List<Argument<?>> OPTIONS = List.of(
            texts(
                            "--event",
                            "EVENT",
                            "Events to send, separated by commas: job.started, job.succeeded, job.failed, job.retrying,"
                                    + " job.cancelled, job.ended, schedule.missed, queue.stalled or database.failover.")
                    .separatedByCommas()
                    .field("events"),
            texts("--definition", "DEFINITION", "Only jobs of these definitions; none removes the filter.")
                    .separatedByCommas()
                    .puts((webhook, keys) -> putFilter(webhook, "definitionKeys", keys)),
            texts("--queue", "QUEUE", "Only jobs of these queues; none removes the filter.")
                    .separatedByCommas()
                    .puts((webhook, queues) -> putFilter(webhook, "queues", queues)),
            labels("--label", "Only jobs with this label; none removes the filter.")
                    .valueOptional()
                    .puts(WebhookCommands::putLabels),
            text(
                            "--secret-file",
                            "FILE",
                            "File with the signing secret, whsec_…, or - for standard input.",
                            "With two lines, deliveries are signed with both secrets, for a rotation.")
                    .puts((webhook, file) -> webhook.set("secrets", Json.texts(SecretFile.read("secret-file", file)))));

    private WebhookCommands() {}

    public static CommandLine group(Screen screen) {
        return RestCommand.group(
                screen,
                "webhooks",
                List.of("Lists, creates and tests webhooks, and redelivers events."),
                get("list", "/v1/webhooks", "Lists all webhooks.").shows(WEBHOOKS.list("webhooks")),
                get("get", ONE, "Shows a webhook without its secrets: its filters and whether its deliveries fail.")
                        .arguments(WEBHOOK)
                        .shows(WebhookCommands::details),
                post(
                                "create",
                                "/v1/webhooks",
                                "Creates a webhook; prints its id and, only this once, a generated secret.",
                                "Example: webhooks create https://hooks.example.com/jobs --event job.failed")
                        .arguments(positional("URL", "URL to send events to.").field("url"))
                        .arguments(OPTIONS)
                        .runs(WebhookCommands::create),
                patch("edit", ONE, "Changes the given options of a webhook and keeps the others.")
                        .arguments(
                                WEBHOOK,
                                text("--to", "URL", "New URL, also for pending deliveries.")
                                        .field("url"),
                                choice("--enabled", "Enable or disable deliveries.")
                                        .field("enabled"))
                        .arguments(OPTIONS)
                        .shows(WEBHOOKS.one()),
                post("test", ONE + "/test", "Sends a webhook.test event and prints the id of its delivery.")
                        .arguments(WEBHOOK)
                        .shows((out, delivery) ->
                                out.out().println(delivery.path("id").asText())),
                get("deliveries", ONE + "/deliveries", "Lists the deliveries of a webhook, newest first.")
                        .arguments(
                                WEBHOOK,
                                text("--state", "STATE", "Filter by state: pending, delivered or parked.")
                                        .field("state"),
                                number("--limit", "N", "Deliveries per page, 1 to 500. Default: 50.")
                                        .field("limit"),
                                text("--cursor", "CURSOR", "Cursor of the page, as printed with the previous page.")
                                        .field("cursor"))
                        .shows(DELIVERIES.list("deliveries")),
                get("show", ONE + "/deliveries/{DELIVERY}", "Shows a delivery and its attempts.")
                        .arguments(WEBHOOK, positional("DELIVERY", "Delivery id."))
                        .shows(WebhookCommands::attempts),
                post(
                                "redeliver",
                                ONE + "/redeliver",
                                "Sends a delivery again now, whatever its state, with a fresh retry window.",
                                "To redeliver all after an outage: webhooks redeliver WEBHOOK --state parked")
                        .arguments(
                                WEBHOOK,
                                positional("DELIVERY", "Delivery id, to redeliver one.")
                                        .optional(),
                                text(
                                                "--state",
                                                "STATE",
                                                "State to redeliver: parked, pending, or delivered (with --after).")
                                        .field("state"),
                                text("--after", "TIME", "With --state: only events from this time on.")
                                        .field("after"),
                                text("--before", "TIME", "With --state: only events before this time.")
                                        .field("before"))
                        .runs(WebhookCommands::redeliver),
                delete("delete", ONE, "Deletes a webhook and its deliveries.")
                        .arguments(WEBHOOK)
                        .runs(call -> call.deleted("WEBHOOK")));
    }

    private static String state(JsonNode webhook) {
        if (!webhook.path("enabled").asBoolean()) {
            return "disabled";
        }
        int failures = webhook.path("failures").asInt();
        return failures == 0 ? "enabled" : "failing (" + failures + " in a row)";
    }

    /** Sets a filter of a webhook; the single value none removes it. */
    private static void putFilter(ObjectNode webhook, String field, List<String> texts) {
        webhook.set(field, Json.texts(texts.equals(List.of(NONE)) ? List.of() : texts));
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
            throw ServerOptions.bad("delivery", all ? "combined with --state" : NONE, "either DELIVERY or --state");
        }
        if (!all && call.given("--after", "--before")) {
            throw ServerOptions.bad("state", NONE, "--state together with --after or --before");
        }
        if (delivery == null) {
            return redeliverAll(call);
        }
        String path = "/v1/webhooks/" + Api.segment(call.required("WEBHOOK")) + "/deliveries/" + Api.segment(delivery);
        call.show(call.api().send("POST", path + "/redeliver", null), DELIVERIES.one());
        return ExitCode.OK;
    }

    /** Redelivers all deliveries. Repeats the request, because the server redelivers a limited number per request. */
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
