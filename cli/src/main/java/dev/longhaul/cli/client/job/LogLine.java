package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.event.EventType;
import dev.longhaul.event.LogLines;
import java.util.Map;
import java.util.function.Consumer;

/** The lines of a job's log and of what its processes print, as {@code GET /v1/jobs/{id}/log} writes them. */
final class LogLine {
    private final LogLines lines;

    LogLine(boolean timestamps, Consumer<String> sink) {
        this.lines = new LogLines(line -> sink.accept((timestamps ? line.at() + " " : "") + line.text()));
    }

    /** Adds an event of type log or output; a line of output comes when it is whole. */
    void add(JsonNode event) {
        lines.add(
                EventType.parse(event.path("type").asText()),
                event.path("run").asInt(),
                event.path("at").asText(),
                Api.JSON.convertValue(event.path("payload"), Map.class));
    }

    /** What has no end of line yet. */
    void end() {
        lines.end();
    }
}
