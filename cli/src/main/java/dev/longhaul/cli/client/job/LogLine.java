package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.event.EventType;
import dev.longhaul.event.LogLines;
import java.util.Map;
import java.util.function.Consumer;

/** Formats log lines and process output of a job in the same way as {@code GET /v1/jobs/{id}/log}. */
final class LogLine {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final LogLines lines;

    LogLine(boolean timestamps, Consumer<String> sink) {
        this.lines = new LogLines(line -> sink.accept((timestamps ? line.at() + " " : "") + line.text()));
    }

    /** Adds an event of type log or output. A line of output is printed when it is complete. */
    void add(JsonNode event) {
        lines.add(
                EventType.parse(event.path("type").asText()),
                event.path("run").asInt(),
                event.path("at").asText(),
                JSON.convertValue(event.path("payload"), Map.class));
    }

    /** Prints the last line if it is incomplete. */
    void end() {
        lines.end();
    }
}
