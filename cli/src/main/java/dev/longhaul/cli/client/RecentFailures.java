package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what has failed of late, the most frequent first. */
@Command(
        name = "failures",
        description = "Shows the jobs that failed in the last 24 hours, grouped by definition and error.",
        mixinStandardHelpOptions = true)
final class RecentFailures implements Runnable {
    private static final int PAGE = 500;
    private static final int MOST_PAGES = 100;
    /** What differs from one failure to the next for the same reason: numbers and ids. */
    private static final Pattern VARYING = Pattern.compile("\\b[0-9a-fA-F-]*[0-9][0-9a-fA-F-]*\\b");

    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Option(
            names = "--since",
            paramLabel = "SPAN",
            converter = Span.class,
            defaultValue = "24h",
            description = "How far back to look; 24h if not given.")
    private Duration since = Duration.ofHours(24);

    RecentFailures(Screen screen) {
        this.screen = screen;
    }

    private record Cause(String definition, String code, String message) {}

    /** Jobs that failed for the same reason, and the one that did so last. */
    private static final class Group {
        private int count;
        private JsonNode latest = Api.JSON.missingNode();

        void add(JsonNode job) {
            count++;
            if (finishedAt(job).isAfter(finishedAt(latest))) {
                latest = job;
            }
        }
    }

    private static Instant finishedAt(JsonNode job) {
        return job.hasNonNull("finishedAt")
                ? Instant.parse(job.get("finishedAt").asText())
                : Instant.MIN;
    }

    @Override
    public void run() {
        List<Group> groups = groups(server.api()).values().stream()
                .sorted(Comparator.comparingInt((Group group) -> group.count)
                        .reversed()
                        .thenComparing(group -> finishedAt(group.latest), Comparator.reverseOrder()))
                .toList();
        if (server.json()) {
            screen.out().println(json(groups));
        } else if (groups.isEmpty()) {
            screen.out().println("No job has failed in the last " + Span.about(since) + ".");
        } else {
            var table = new Table("COUNT", "DEFINITION", "ERROR", "LATEST JOB", "AGE")
                    .whole(0)
                    .whole(3);
            groups.forEach(group -> table.row(
                    group.count,
                    group.latest.path("definitionKey").asText(),
                    JobText.error(group.latest.path("error")),
                    group.latest.path("jobId").asText(),
                    JobText.age(group.latest.path("finishedAt"))));
            table.print(screen);
        }
    }

    /** All failed jobs are looked at: the API finds them by when they were made, and long ones fail long after that. */
    private Map<Cause, Group> groups(Api api) {
        Map<Cause, Group> groups = new LinkedHashMap<>();
        Instant earliest = Instant.now().minus(since);
        String cursor = null;
        for (int i = 0; i < MOST_PAGES; i++) {
            JsonNode page = page(api, cursor);
            for (JsonNode job : page.path("jobs")) {
                if (!finishedAt(job).isBefore(earliest)) {
                    groups.computeIfAbsent(cause(job), cause -> new Group()).add(job);
                }
            }
            if (!page.hasNonNull("nextCursor")) {
                return groups;
            }
            cursor = page.get("nextCursor").asText();
        }
        screen.err().println("Only the newest " + MOST_PAGES * PAGE + " failed jobs were looked at.");
        return groups;
    }

    private static JsonNode page(Api api, @Nullable String cursor) {
        return api.get("/v1/jobs"
                        + new Query()
                                .with("status", "failed")
                                .with("limit", PAGE)
                                .with("cursor", cursor))
                .json();
    }

    private static Cause cause(JsonNode job) {
        JsonNode error = job.path("error");
        String message = error.path("message").asText();
        return new Cause(
                job.path("definitionKey").asText(),
                error.path("code").asText(),
                VARYING.matcher(message).replaceAll("#"));
    }

    private static String json(List<Group> groups) {
        ObjectNode root = Api.JSON.createObjectNode();
        var list = root.putArray("failures");
        for (Group group : groups) {
            ObjectNode one = list.addObject();
            one.put("definitionKey", group.latest.path("definitionKey").asText());
            one.set("error", group.latest.path("error"));
            one.put("count", group.count);
            one.put("latestJobId", group.latest.path("jobId").asText());
            one.put("latestAt", group.latest.path("finishedAt").asText());
        }
        return root.toString();
    }
}
