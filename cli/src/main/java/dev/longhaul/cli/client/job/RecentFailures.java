package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.DurationOption;
import dev.longhaul.cli.client.Json;
import dev.longhaul.cli.client.ResponseText;
import dev.longhaul.cli.client.Table;
import dev.longhaul.cli.client.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import picocli.CommandLine.ExitCode;

/** Prints recent failures grouped by cause, most frequent first. */
final class RecentFailures {
    private static final int PAGE = 500;
    private static final int MOST_PAGES = 100;
    /** Matches numbers and ids, which differ between failures with the same cause. */
    private static final Pattern VARYING = Pattern.compile("\\b[0-9a-fA-F-]*[0-9][0-9a-fA-F-]*\\b");

    private static final Table FAILURES = new Table(
                    Column.number("COUNT", "count").uncut(),
                    Column.of("DEFINITION", "definitionKey"),
                    Column.of("ERROR", group -> ResponseText.error(group.path("error")))
                            .text(),
                    Column.id("LATEST JOB", "latestJobId"),
                    Column.time("LATEST", "latestAt"))
            .optional("LATEST");

    private RecentFailures() {}

    static int show(Call call) {
        Duration since = Objects.requireNonNullElse(call.span("--since"), Duration.ofHours(24));
        List<Group> groups = groups(call, Instant.now().minus(since)).values().stream()
                .sorted(Comparator.comparingInt((Group group) -> group.count)
                        .reversed()
                        .thenComparing(group -> finishedAt(group.latest), Comparator.reverseOrder()))
                .toList();
        ObjectNode failures = json(groups);
        if (call.json()) {
            call.screen().out().println(failures);
        } else if (groups.isEmpty()) {
            call.screen().out().println("No failed jobs in the last " + DurationOption.about(since) + ".");
        } else {
            FAILURES.print(call.screen(), failures.path("failures"));
        }
        return ExitCode.OK;
    }

    private record Cause(String definition, String code, String message) {}

    /** The jobs that failed with the same cause, and the latest of them. */
    private static final class Group {
        private int count;
        private JsonNode latest = MissingNode.getInstance();

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

    /**
     * Groups the failed jobs since a time by cause. Reads all failed jobs, because the list is ordered by creation
     * time, and a long job fails long after its creation.
     */
    private static Map<Cause, Group> groups(Call call, Instant earliest) {
        Map<Cause, Group> groups = new LinkedHashMap<>();
        ObjectNode query = Json.object().put("status", "failed").put("limit", PAGE);
        String next = call.api().pages(call.path(), query, MOST_PAGES, (reply, page) -> {
            for (JsonNode job : page.path("jobs")) {
                if (!finishedAt(job).isBefore(earliest)) {
                    groups.computeIfAbsent(cause(job), cause -> new Group()).add(job);
                }
            }
        });
        if (next != null) {
            call.screen().err().println("Truncated: only the newest " + MOST_PAGES * PAGE + " failed jobs were read.");
        }
        return groups;
    }

    private static Cause cause(JsonNode job) {
        JsonNode error = job.path("error");
        String message = error.path("message").asText();
        return new Cause(
                job.path("definitionKey").asText(),
                error.path("code").asText(),
                VARYING.matcher(message).replaceAll("#"));
    }

    private static ObjectNode json(List<Group> groups) {
        ObjectNode root = Json.object();
        var list = root.putArray("failures");
        for (Group group : groups) {
            ObjectNode one = list.addObject();
            one.put("definitionKey", group.latest.path("definitionKey").asText());
            one.set("error", group.latest.path("error"));
            one.put("count", group.count);
            one.put("latestJobId", group.latest.path("jobId").asText());
            one.put("latestAt", group.latest.path("finishedAt").asText());
        }
        return root;
    }
}
