package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Query;
import java.util.ArrayDeque;
import java.util.Deque;

/** Finds the position in a job's events after which the last lines of its log start. */
final class LogTail {
    private LogTail() {}

    /**
     * The number of lines in one event.
     *
     * @param before the position before the event
     */
    private record Part(long before, long lines) {}

    /** Returns the position before the last lines that exist now. An event of several lines is not divided. */
    static long start(Api api, String jobId, int lines) {
        Deque<Part> last = new ArrayDeque<>();
        long kept = 0;
        long position = 0;
        boolean more = true;
        while (more) {
            JsonNode page = api.get("/v1/jobs/" + Api.segment(jobId) + "/events"
                            + new Query().with("types", Logs.LINES).with("from", position))
                    .json();
            for (JsonNode event : page.path("events")) {
                var part = new Part(event.path("position").asLong() - 1, lines(event));
                position = part.before + 1;
                last.add(part);
                kept += part.lines;
                while (!last.isEmpty() && kept - last.element().lines >= lines) {
                    kept -= last.remove().lines;
                }
            }
            more = page.hasNonNull("next");
        }
        return last.isEmpty() ? position : last.element().before;
    }

    private static long lines(JsonNode event) {
        String type = event.path("type").asText();
        String text = event.path("payload").path("text").asText();
        return type.equals("output") ? text.chars().filter(c -> c == '\n').count() : 1;
    }
}
