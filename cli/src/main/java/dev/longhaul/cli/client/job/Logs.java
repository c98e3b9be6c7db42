package dev.longhaul.cli.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.Api;
import dev.longhaul.cli.client.Call;
import dev.longhaul.cli.client.Query;
import dev.longhaul.cli.client.Screen;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/** Prints a job's log. */
final class Logs {
    static final String LINES = "log,output";

    private final Call call;
    private final Screen screen;
    private final @Nullable Integer run;
    private final @Nullable Integer tail;
    private final LogLine lines;

    Logs(Call call) {
        this.call = call;
        this.screen = call.screen();
        this.run = call.number("--run");
        this.tail = call.number("--tail");
        this.lines = new LogLine(call.flag("--timestamps"), line -> screen.out().println(screen.safe(line)));
    }

    int print() throws InterruptedException {
        Api api = call.api();
        String id = call.required("ID");
        String events = "/v1/jobs/" + Api.segment(id) + "/events";
        if (call.flag("--follow")) {
            long after = tail == null ? 0 : printTail(api, events, tail);
            try (var going = new StillGoing(screen, id)) {
                var following = new Follow(api, id, LINES, after, new Deadline(null));
                if (following.toEnd(event -> going.print(() -> print(event.json(), event.text()))) == null) {
                    going.printHint();
                }
            }
        } else if (call.json()) {
            printTail(api, events, tail == null ? Integer.MAX_VALUE : tail);
        } else {
            call.send().body().lines().map(screen::safe).forEach(screen.out()::println);
        }
        lines.end();
        return ExitCode.OK;
    }

    /** Prints the last lines that exist now. Returns the position of the last event, after which to follow. */
    private long printTail(Api api, String path, int most) {
        Deque<JsonNode> last = new ArrayDeque<>();
        long position = 0;
        boolean more = true;
        while (more) {
            JsonNode page = api.get(path + new Query().with("types", LINES).with("from", position))
                    .json();
            for (JsonNode event : page.path("events")) {
                position = event.path("position").asLong();
                if (matches(event)) {
                    last.add(event);
                }
                if (last.size() > most) {
                    last.removeFirst();
                }
            }
            more = page.hasNonNull("next");
        }
        last.forEach(event -> print(event, event.toString()));
        return position;
    }

    private boolean matches(JsonNode event) {
        return run == null || event.path("run").asInt() == run;
    }

    private void print(JsonNode event, String json) {
        if (!matches(event)) {
            return;
        }
        if (call.json()) {
            screen.out().println(json);
        } else {
            lines.add(event);
        }
        screen.out().flush();
    }
}
