package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats parts of responses. */
public final class ResponseText {
    private ResponseText() {}

    public static String error(JsonNode error) {
        return error.isMissingNode()
                ? ""
                : error.path("code").asText() + ": " + error.path("message").asText();
    }

    /** Formats the error of a job that has failed or waits for its next attempt; empty for other jobs. */
    public static String failure(JsonNode job) {
        return switch (job.path("status").asText()) {
            case "failed", "retrying" -> error(job.path("error"));
            default -> "";
        };
    }

    /**
     * Prints the fields of an object, one per line. On a terminal, prints names as words, and times also relative to
     * now.
     */
    public static void fields(Screen screen, JsonNode json) {
        List<Map.Entry<String, String>> lines = new ArrayList<>();
        json.properties().forEach(field -> add(lines, json, field.getKey(), field.getValue(), screen.live()));
        print(screen, lines);
    }

    /** Prints names and values in two columns. */
    public static void print(Screen screen, List<Map.Entry<String, String>> lines) {
        int widest = lines.stream()
                .mapToInt(line -> name(screen, line.getKey()).length())
                .max()
                .orElse(0);
        for (Map.Entry<String, String> line : lines) {
            String name = name(screen, line.getKey());
            Style style = line.getKey().equals("status") ? Style.ofStatus(line.getValue()) : Style.PLAIN;
            String indent = " ".repeat(widest + 2);
            String label = screen.paint(Style.BOLD, name) + indent.substring(name.length());
            for (String part : line.getValue().split("\n", -1)) {
                String text = screen.paint(style, Screen.withoutControls(part).stripTrailing());
                screen.out().println((label + text).stripTrailing());
                label = indent;
            }
        }
        screen.out().flush();
    }

    private static String name(Screen screen, String field) {
        return screen.live() ? field.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT) : field;
    }

    private static void add(
            List<Map.Entry<String, String>> lines, JsonNode json, String name, JsonNode value, boolean live) {
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
            default -> {
                String text = value.isTextual() ? value.asText() : value.toString();
                boolean time = live && name.endsWith("At") && !relative(value).equals("-");
                lines.add(Map.entry(
                        name, time ? relative(value) + " (" + text.replaceFirst("\\.[0-9]+", "") + ")" : text));
            }
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

    /** Formats a time relative to this machine's clock, such as {@code 12 s ago}; a dash if the time is missing. */
    public static String relative(JsonNode time) {
        Instant at = instant(time);
        if (at == null) {
            return "-";
        }
        Duration age = Duration.between(at, Instant.now());
        // The clocks of server and client may differ slightly.
        return age.toSeconds() < -1 ? "in " + DurationOption.about(age.negated()) : DurationOption.about(age) + " ago";
    }

    /** Formats the age of a time; a dash if the time is missing. */
    public static String age(JsonNode time) {
        Instant at = instant(time);
        return at == null ? "-" : DurationOption.about(Duration.between(at, Instant.now()));
    }

    /** Formats how long a job has run: from its latest start to its end, or to now. A dash if it has not started. */
    public static String duration(JsonNode job) {
        Instant start = instant(job.path("startedAt"));
        Instant end = instant(job.path("finishedAt"));
        String status = job.path("status").asText();
        boolean running = status.equals("running") || status.equals("cancelling");
        if (start == null || (end == null && !running)) {
            return "-";
        }
        return DurationOption.exact(Duration.between(start, end == null ? Instant.now() : end));
    }

    private static @Nullable Instant instant(JsonNode time) {
        try {
            return time.isTextual() ? Instant.parse(time.asText()) : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
