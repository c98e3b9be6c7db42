package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Groups what can be done with webhooks. */
@Command(
        name = "webhooks",
        description = "Lists, makes and tries out webhooks, and sends deliveries again.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class WebhookCommands {
    private WebhookCommands() {}

    static CommandLine group(Screen screen) {
        return new CommandLine(new WebhookCommands())
                .addSubcommand(new ListWebhooks(screen))
                .addSubcommand(new GetWebhook(screen))
                .addSubcommand(new Create(screen))
                .addSubcommand(new Edit(screen))
                .addSubcommand(new Test(screen))
                .addSubcommand(new Deliveries(screen))
                .addSubcommand(new Show(screen))
                .addSubcommand(new Redeliver(screen))
                .addSubcommand(new Delete(screen));
    }

    /** What all of them share. */
    private abstract static class WebhookCommand extends Asking {
        WebhookCommand(Screen screen) {
            super(screen);
        }

        @Override
        void print(JsonNode webhook) {
            table(List.of(webhook)).print(screen);
        }
    }

    /** One that is about a webhook there is. */
    private abstract static class OfOne extends WebhookCommand {
        @Parameters(paramLabel = "WEBHOOK", description = "Its id.")
        String id = "";

        OfOne(Screen screen) {
            super(screen);
        }

        String path() {
            return "/v1/webhooks/" + Api.segment(id);
        }
    }

    private static Table table(Iterable<JsonNode> webhooks) {
        var table = new Table("WEBHOOK", "URL", "EVENTS", "STATE").whole(0);
        for (JsonNode webhook : webhooks) {
            table.row(
                    webhook.path("id").asText(),
                    webhook.path("url").asText(),
                    webhook.path("ofJobs").asBoolean() ? "as each job says" : joined(webhook.path("events")),
                    state(webhook));
        }
        return table;
    }

    private static String state(JsonNode webhook) {
        if (!webhook.path("enabled").asBoolean()) {
            return "disabled";
        }
        int failures = webhook.path("failures").asInt();
        return failures == 0 ? "enabled" : "failed " + (failures == 1 ? "once" : failures + " times in a row");
    }

    private static String joined(JsonNode texts) {
        var all = new ArrayList<String>();
        texts.forEach(text -> all.add(text.asText()));
        return String.join(",", all);
    }

    private static Table deliveries(Iterable<JsonNode> deliveries) {
        var table = new Table("DELIVERY", "EVENT", "STATE", "TRIES", "AGE", "NEXT TRY", "JOB")
                .whole(0)
                .whole(6);
        for (JsonNode delivery : deliveries) {
            table.row(
                    delivery.path("id").asText(),
                    delivery.path("event").asText(),
                    delivery.path("state").asText(),
                    delivery.path("tries").asText(),
                    JobText.age(delivery.path("at")),
                    delivery.path("nextTryAt").asText("-"),
                    delivery.path("jobId").asText("-"));
        }
        return table;
    }

    @Command(name = "list", description = "Lists all webhooks.", mixinStandardHelpOptions = true)
    private static final class ListWebhooks extends WebhookCommand {
        ListWebhooks(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api().get("/v1/webhooks"));
        }

        @Override
        void print(JsonNode answer) {
            table(answer.path("webhooks")).print(screen);
        }
    }

    @Command(
            name = "get",
            description = "Shows all of a webhook but its secrets: which jobs it is told of, whether it fails.",
            mixinStandardHelpOptions = true)
    private static final class GetWebhook extends OfOne {
        GetWebhook(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api().get(path()));
        }

        @Override
        void print(JsonNode webhook) {
            ObjectNode plain = webhook.deepCopy();
            for (String list : List.of("events", "definitionKeys", "queues")) {
                plain.put(list, plain.path(list).isEmpty() ? "all" : joined(plain.path(list)));
            }
            JobText.all(screen, plain);
        }
    }

    /** What a webhook wants to hear of. */
    private static final class Wishes {
        private static final String NONE = "none";

        @Option(
                names = "--event",
                paramLabel = "EVENT",
                split = ",",
                description =
                        "job.started, job.succeeded, job.failed, job.retrying, job.cancelled, job.ended, schedule.missed,"
                                + " queue.stalled or database.failover; several with commas.")
        private List<String> events = new ArrayList<>();

        @Option(
                names = "--definition",
                paramLabel = "KEY",
                split = ",",
                description = "Only of these definitions; none: of all.")
        private List<String> definitions = new ArrayList<>();

        @Option(
                names = "--queue",
                paramLabel = "QUEUE",
                split = ",",
                description = "Only of these queues; none: of all.")
        private List<String> queues = new ArrayList<>();

        @Option(
                names = "--label",
                paramLabel = "KEY=VALUE",
                mapFallbackValue = Option.NULL_VALUE,
                description = "Only of jobs with this label; none: whatever their labels.")
        private Map<String, @Nullable String> labels = new LinkedHashMap<>();

        void putInto(ObjectNode body) {
            put(body, "events", events);
            put(body, "definitionKeys", orNone(body, "definitionKeys", definitions));
            put(body, "queues", orNone(body, "queues", queues));
            if (!labels.isEmpty()) {
                putLabels(body.putObject("labels"));
            }
        }

        /** What is to be put in; the one word none takes the filter away. */
        private static List<String> orNone(ObjectNode body, String field, List<String> texts) {
            if (!texts.equals(List.of(NONE))) {
                return texts;
            }
            body.putArray(field);
            return List.of();
        }

        private void putLabels(ObjectNode object) {
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

        private static void put(ObjectNode body, String field, List<String> texts) {
            if (!texts.isEmpty()) {
                ArrayNode array = body.putArray(field);
                texts.forEach(array::add);
            }
        }
    }

    /** What signs. */
    private static final class Secrets {
        @Option(
                names = "--secret-file",
                paramLabel = "FILE",
                description = {
                    "A file with its secret, whsec_…, or - for standard input.",
                    "Two lines while the receiver changes over: it is signed with both."
                })
        private @Nullable String file;

        boolean given() {
            return file != null;
        }

        void putInto(ObjectNode body) {
            if (file != null) {
                ArrayNode array = body.putArray("secrets");
                SecretFile.read("secret-file", file).forEach(array::add);
            }
        }
    }

    @Command(
            name = "create",
            description = {
                "Makes a webhook and prints its id and, unless it is given, its secret: once, nobody can look that up later.",
                "Such as: webhooks create https://hooks.example.com/jobs --event job.failed"
            },
            mixinStandardHelpOptions = true)
    private static final class Create extends WebhookCommand {
        @Parameters(paramLabel = "URL", description = "Where to send to.")
        private String url = "";

        @Mixin
        private Wishes wishes = new Wishes();

        @Mixin
        private Secrets secrets = new Secrets();

        Create(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            ObjectNode body = Api.JSON.createObjectNode().put("url", url);
            wishes.putInto(body);
            secrets.putInto(body);
            show(server.api().post("/v1/webhooks", body.toString()));
        }

        @Override
        void print(JsonNode webhook) {
            screen.out().println(webhook.path("id").asText());
            if (!secrets.given()) {
                screen.out().println(webhook.path("secret").asText());
            }
        }
    }

    @Command(
            name = "edit",
            description = "Changes what is given and leaves the rest as it is.",
            mixinStandardHelpOptions = true)
    private static final class Edit extends OfOne {
        @Option(names = "--to", paramLabel = "URL", description = "Where to send to, also what waits already.")
        private @Nullable String url;

        @Mixin
        private Wishes wishes = new Wishes();

        @Mixin
        private Secrets secrets = new Secrets();

        @Option(
                names = "--enabled",
                arity = "1",
                paramLabel = "true|false",
                description = "Whether it is told anything.")
        private @Nullable Boolean enabled;

        Edit(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            ObjectNode body = Api.JSON.createObjectNode();
            Body.text(body, "url", url);
            wishes.putInto(body);
            secrets.putInto(body);
            if (enabled != null) {
                body.put("enabled", enabled);
            }
            show(server.api().patch(path(), body.toString()));
        }
    }

    @Command(
            name = "test",
            description = "Sends an event webhook.test and prints the id of its delivery.",
            mixinStandardHelpOptions = true)
    private static final class Test extends OfOne {
        Test(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api().post(path() + "/test", null));
        }

        @Override
        void print(JsonNode delivery) {
            screen.out().println(delivery.path("id").asText());
        }
    }

    @Command(
            name = "deliveries",
            description = "Lists what was and is to be sent, newest first.",
            mixinStandardHelpOptions = true)
    private static final class Deliveries extends OfOne {
        @Option(names = "--state", paramLabel = "STATE", description = "pending, delivered or parked.")
        private @Nullable String state;

        @Option(names = "--limit", paramLabel = "N", description = "1 to 500; 50 if not given.")
        private @Nullable Integer limit;

        @Option(
                names = "--cursor",
                paramLabel = "CURSOR",
                description = "The page after the one that named this cursor.")
        private @Nullable String cursor;

        Deliveries(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api()
                    .get(path() + "/deliveries"
                            + new Query()
                                    .with("state", state)
                                    .with("limit", limit)
                                    .with("cursor", cursor)));
        }

        @Override
        void print(JsonNode page) {
            deliveries(page.path("deliveries")).print(screen);
            more(page);
        }
    }

    @Command(name = "show", description = "Shows what came of each try of a delivery.", mixinStandardHelpOptions = true)
    private static final class Show extends OfOne {
        @Parameters(index = "1", paramLabel = "DELIVERY", description = "Its id.")
        private String delivery = "";

        Show(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            show(server.api().get(path() + "/deliveries/" + Api.segment(delivery)));
        }

        @Override
        void print(JsonNode found) {
            deliveries(List.of(found)).print(screen);
            screen.out().println();
            var table = new Table("TRY", "ENDED AT", "TOOK", "STATUS", "ERROR");
            found.path("attempts")
                    .forEach(one -> table.row(
                            one.path("number").asText(),
                            one.path("endedAt").asText(),
                            one.path("tookMillis").asText() + " ms",
                            one.path("status").asText("-"),
                            one.path("error").asText("-")));
            table.print(screen);
        }
    }

    @Command(
            name = "redeliver",
            description = {
                "Sends a delivery now, whether it was delivered or parked or waits for its next try, and with new patience.",
                "Or all that are parked, such as after an outage: webhooks redeliver WEBHOOK --state parked"
            },
            mixinStandardHelpOptions = true)
    private static final class Redeliver extends OfOne {
        @Parameters(index = "1", arity = "0..1", paramLabel = "DELIVERY", description = "Its id, if it is one.")
        private @Nullable String delivery;

        @Option(
                names = "--state",
                paramLabel = "STATE",
                description = "All that are parked, pending, or that were delivered (then with --after).")
        private @Nullable String state;

        @Option(names = "--after", paramLabel = "TIME", description = "Of these, only of events from then on.")
        private @Nullable String after;

        @Option(names = "--before", paramLabel = "TIME", description = "Of these, only of events before that.")
        private @Nullable String before;

        Redeliver(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            boolean all = state != null;
            if (all == (delivery != null)) {
                throw ServerOptions.bad("delivery", all ? "one, and --state" : "none", "either DELIVERY or --state");
            }
            if (!all && (after != null || before != null)) {
                throw ServerOptions.bad("state", "none", "one with --after and --before");
            }
            if (delivery != null) {
                show(server.api().post(path() + "/deliveries/" + Api.segment(delivery) + "/redeliver", null));
            } else {
                redeliverAll();
            }
        }

        /** The server sends so many again per call. */
        private void redeliverAll() {
            long count = 0;
            String next = after;
            do {
                ObjectNode body = Api.JSON.createObjectNode();
                Body.text(body, "state", state);
                Body.text(body, "after", next);
                Body.text(body, "before", before);
                JsonNode done = server.api()
                        .post(path() + "/redeliver", body.toString())
                        .json();
                count += done.path("redelivered").asLong();
                next = done.path("nextAfter").textValue();
            } while (next != null);
            screen.out().println(server.json() ? "{\"redelivered\":" + count + "}" : count + " redelivered");
            screen.out().flush();
        }

        @Override
        void print(JsonNode answer) {
            deliveries(List.of(answer)).print(screen);
        }
    }

    @Command(
            name = "delete",
            description = "Removes a webhook with all its deliveries.",
            mixinStandardHelpOptions = true)
    private static final class Delete extends OfOne {
        Delete(Screen screen) {
            super(screen);
        }

        @Override
        public void run() {
            server.api().delete(path());
            screen.out().println(id + " deleted");
            screen.out().flush();
        }
    }
}
