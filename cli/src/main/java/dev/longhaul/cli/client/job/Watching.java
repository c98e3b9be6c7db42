package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.Screen;
import dev.longhaul.cli.client.Style;

/** Shows a running job, on a terminal with a progress bar, otherwise line by line. */
final class Watching {
    private static final int BAR = 30;

    private final Api api;
    private final Screen screen;
    private final boolean json;
    private final LogLine lines = new LogLine(false, this::printLine);
    private String bar = "";

    Watching(Call call) {
        this.api = call.api();
        this.screen = call.screen();
        this.json = call.json();
    }

    /** Shows events after the position until the job has ended or the deadline passes. Returns the exit code. */
    int watch(String jobId, long after, Deadline deadline) throws InterruptedException {
        try (var going = new StillGoing(screen, jobId)) {
            String status =
                    new Follow(api, jobId, null, after, deadline).toEnd(event -> going.print(() -> show(event)));
            lines.end();
            clearBar();
            if (status == null) {
                going.printHint();
            } else if (!json) {
                Outcome.print(screen, api.get("/v1/jobs/" + Api.segment(jobId)).json());
            }
            return Outcome.exitCode(status);
        }
    }

    private void show(Follow.Event event) {
        if (json) {
            screen.out().println(event.text());
            screen.out().flush();
            return;
        }
        if (event.type().equals("progress")) {
            progress(event.payload());
        } else {
            switch (event.type()) {
                case "log", "output" -> lines.add(event.json());
                case "heartbeat" -> {}
                case "started" ->
                    printNote("running", "run " + event.json().path("run").asText() + " started");
                case "process_end" -> {
                    lines.end();
                    printEvent(event);
                }
                default -> printEvent(event);
            }
        }
        screen.out().flush();
    }

    private void printEvent(Follow.Event event) {
        printNote(event.type(), event.type().replace('_', ' ') + detail(event.payload()));
    }

    private void printNote(String status, String text) {
        clearBar();
        screen.out().println(screen.paint(Style.ofStatus(status), "-- " + screen.plain(text)));
        drawBar();
    }

    private void printLine(String line) {
        clearBar();
        screen.out().println(screen.safe(line));
        drawBar();
    }

    private static String detail(JsonNode payload) {
        JsonNode error = payload.path("error");
        if (!error.isMissingNode()) {
            return ": " + error.path("code").asText() + ": "
                    + error.path("message").asText();
        }
        return payload.isMissingNode() || payload.isNull() || payload.isEmpty() ? "" : " " + payload;
    }

    private void progress(JsonNode payload) {
        int percent = Math.max(0, Math.min(100, payload.path("percent").asInt()));
        String message = Screen.withoutControls(payload.path("message").asText(""));
        if (!screen.live()) {
            screen.out().println((percent + "% " + message).strip());
            return;
        }
        int filled = percent * BAR / 100;
        String text = "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] " + percent + "% " + message;
        clearBar();
        bar = text.length() < screen.width() ? text : text.substring(0, screen.width() - 1);
        drawBar();
    }

    private void drawBar() {
        screen.out().print(bar);
    }

    private void clearBar() {
        if (!bar.isEmpty()) {
            screen.out().print("\r\u001b[K");
        }
    }
}
