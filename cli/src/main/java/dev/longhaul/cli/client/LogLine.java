package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** A line of a job's log, as {@code GET /v1/jobs/{id}/log} writes it. */
final class LogLine {
    private LogLine() {}

    static String of(JsonNode event, boolean timestamps) {
        JsonNode payload = event.path("payload");
        String level = payload.path("level").asText("info");
        String message = payload.hasNonNull("message") ? payload.get("message").asText() : payload.toString();
        return (timestamps ? event.path("at").asText() + " " : "")
                + (level.equals("info") ? "" : level.toUpperCase(Locale.ROOT) + " ")
                + message;
    }
}
