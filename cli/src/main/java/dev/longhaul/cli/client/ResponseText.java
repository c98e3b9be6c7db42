package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Formats parts of responses. */
public final class ResponseText {
    private ResponseText() {}

    public static String error(JsonNode error) {
        return error.isMissingNode()
                ? ""
                : error.path("code").asText() + ": " + error.path("message").asText();
    }

    /** Prints the fields of an object, one per line. */
    public static void fields(Screen screen, JsonNode json) {
        List<Map.Entry<String, String>> lines = new ArrayList<>();
        json.properties().forEach(field -> add(lines, json, field.getKey(), field.getValue()));
        int widest =
                lines.stream().mapToInt(line -> line.getKey().length()).max().orElse(0);
        for (Map.Entry<String, String> line : lines) {
            String indented = line.getValue().replace("\n", "\n" + " ".repeat(widest + 2));
            for (String part :
                    (line.getKey() + " ".repeat(widest + 2 - line.getKey().length()) + indented).split("\n", -1)) {
                screen.out().println(Screen.withoutControls(part).stripTrailing());
            }
        }
        screen.out().flush();
    }

    private static void add(List<Map.Entry<String, String>> lines, JsonNode json, String name, JsonNode value) {
        switch (name) {
            case "progress" -> lines.add(Map.entry(name, progress(json)));
            case "error" -> {
                lines.add(Map.entry(name, error(value)));
                if (value.hasNonNull("stack")) {
                    lines.add(Map.entry("stack", value.get("stack").asText().stripTrailing()));
                }
            }
            case "labels" -> {
                var labels = new ArrayList<String>();
                value.properties()
                        .forEach(label -> labels.add(
                                label.getKey() + "=" + label.getValue().asText()));
                if (!labels.isEmpty()) {
                    lines.add(Map.entry(name, String.join(" ", labels)));
                }
            }
            default -> lines.add(Map.entry(name, value.isTextual() ? value.asText() : value.toString()));
        }
    }

    /** Joins the texts of an array with commas. */
    public static String joined(JsonNode texts) {
        var all = new ArrayList<String>();
        texts.forEach(text -> all.add(text.asText()));
        return String.join(",", all);
    }

    /** Formats a definition, such as {@code demo.echo@1}. */
    public static String definition(JsonNode json) {
        return json.path("definitionKey").asText() + "@"
                + json.path("definitionVersion").asText();
    }

    /** Formats the caller and the note of a pause, if known. */
    public static String pause(JsonNode pause) {
        String by = pause.path("by").asText("");
        String note = pause.path("note").asText("");
        return (by.isEmpty() ? "" : " by " + by) + (note.isEmpty() ? "" : ": " + note);
    }

    /** Formats the progress of a job that is running or has reported progress; a dash for other jobs. */
    public static String progress(JsonNode job) {
        int percent = job.path("progress").path("percent").asInt();
        String message = job.path("progress").path("message").asText("");
        boolean reported = percent > 0 || !message.isEmpty();
        return switch (job.path("status").asText()) {
            case "running", "cancelling" -> (percent + "% " + message).strip();
            case "succeeded" -> "-";
            default -> reported ? (percent + "% " + message).strip() : "-";
        };
    }

    /** Formats the age of a time by this machine's clock; a dash if the time is missing. */
    public static String age(JsonNode time) {
        try {
            return Span.about(Duration.between(Instant.parse(time.asText()), Instant.now()));
        } catch (DateTimeParseException e) {
            return "-";
        }
    }
}
