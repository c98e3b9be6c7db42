package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Lists jobs, a page or all. */
@Command(
        name = "list",
        description = {
            "Lists jobs, newest first.",
            "With --all --json each page is a JSON document of its own: jq '.jobs[]' reads them all."
        },
        mixinStandardHelpOptions = true)
final class ListJobs implements Runnable {
    private static final int LARGEST_PAGE = 500;

    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Option(names = "--status", paramLabel = "STATUS", description = "One or more, with commas between.")
    private @Nullable String status;

    @Option(names = "--definition", paramLabel = "KEY", description = "Of that definition, any version.")
    private @Nullable String definition;

    @Option(names = "--queue", paramLabel = "QUEUE", description = "In that queue.")
    private @Nullable String queue;

    @Option(names = "--name", paramLabel = "PREFIX", description = "Whose name begins like that.")
    private @Nullable String name;

    @Option(names = "--label", paramLabel = "KEY=VALUE", description = "With that label; may be given several times.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--correlation-id", paramLabel = "ID", description = "With that correlation id.")
    private @Nullable String correlationId;

    @Option(names = "--created-by", paramLabel = "NAME", description = "Asked for by that key.")
    private @Nullable String createdBy;

    @Option(names = "--created-after", paramLabel = "WHEN", description = "A time, or 2h for two hours ago.")
    private @Nullable String createdAfter;

    @Option(names = "--created-before", paramLabel = "WHEN", description = "A time, or 2h for two hours ago.")
    private @Nullable String createdBefore;

    @Option(names = "--finished-after", paramLabel = "WHEN", description = "Finished since a time, or since 2h ago.")
    private @Nullable String finishedAfter;

    @Option(names = "--finished-before", paramLabel = "WHEN", description = "Finished before a time, or before 2h ago.")
    private @Nullable String finishedBefore;

    @Option(names = "--order", paramLabel = "ORDER", description = "newest or oldest first.")
    private @Nullable String order;

    @Option(names = "--limit", paramLabel = "N", description = "Jobs per page, 1 to 500; 50 if not given.")
    private @Nullable Integer limit;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "The page after the one that named this cursor.")
    private @Nullable String cursor;

    @Option(names = "--all", description = "Every page.")
    private boolean all;

    ListJobs(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        Api api = server.api();
        var table = new Table("JOB", "STATUS", "DEFINITION", "QUEUE", "AGE", "PROGRESS", "NAME")
                .whole(0, 1)
                .optional(5, 3, 6, 4);
        String next = cursor;
        do {
            Api.Reply reply = api.get("/v1/jobs" + query(next));
            JsonNode page = reply.json();
            if (server.json()) {
                screen.out().println(reply.body());
            } else {
                page.path("jobs").forEach(job -> row(table, job));
            }
            next = page.hasNonNull("nextCursor") ? page.get("nextCursor").asText() : null;
        } while (all && next != null);
        if (!server.json()) {
            table.print(screen);
            if (next != null) {
                screen.err().println("There are more: --all shows them, --cursor " + next + " the next page.");
            }
        }
    }

    private static void row(Table table, JsonNode job) {
        table.row(
                job.path("jobId").asText(),
                job.path("status").asText(),
                job.path("definitionKey").asText() + "@"
                        + job.path("definitionVersion").asText(),
                job.path("queue").asText(),
                JobText.age(job.path("createdAt")),
                JobText.progress(job),
                job.path("name").asText(""));
    }

    private String query(@Nullable String next) {
        var query = new Query()
                .with("status", status)
                .with("definitionKey", definition)
                .with("queue", queue)
                .with("name", name)
                .with("correlationId", correlationId)
                .with("createdBy", createdBy)
                .with("createdAfter", time(createdAfter))
                .with("createdBefore", time(createdBefore))
                .with("finishedAfter", time(finishedAfter))
                .with("finishedBefore", time(finishedBefore))
                .with("order", order)
                .with("limit", limit == null && all ? Integer.valueOf(LARGEST_PAGE) : limit)
                .with("cursor", next);
        labels.forEach((label, value) -> query.with("label." + label, value));
        return query.toString();
    }

    /** A span means so long ago; everything else is the server's to judge. */
    private static @Nullable String time(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            Duration ago = new Span().convert(text);
            return Instant.now().minus(ago).toString();
        } catch (TypeConversionException e) {
            return text;
        }
    }
}
