package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints a job's log. */
@Command(
        name = "logs",
        description = "Prints what a job's code has written to its log.",
        mixinStandardHelpOptions = true)
final class Logs implements Callable<Integer> {
    private static final String LINES = "log,output";

    private final Screen screen;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "ID", description = "The job.")
    private String id = "";

    @Option(
            names = {"-f", "--follow"},
            description = "Go on until the job has ended; interrupted before that, the exit code is 12.")
    private boolean follow;

    @Option(names = "--run", paramLabel = "N", description = "Only that run's.")
    private @Nullable Integer run;

    @Option(names = "--tail", paramLabel = "N", description = "Only the last lines.")
    private @Nullable Integer tail;

    @Option(names = "--timestamps", description = "With the time of each line.")
    private boolean timestamps;

    Logs(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() throws InterruptedException {
        Api api = server.api();
        String path = "/v1/jobs/" + Api.segment(id);
        var lines = new LogLine(timestamps, line -> screen.out().println(screen.safe(line)));
        if (follow) {
            long after = tail == null ? 0 : printTail(lines, api, path + "/events", tail);
            try (var going = new StillGoing(screen, id)) {
                var following = new Follow(api, id, LINES, after, new Deadline(null));
                if (following.toEnd(event -> going.print(() -> print(lines, event.json(), event.text()))) == null) {
                    going.say();
                }
            }
        } else if (server.json()) {
            printTail(lines, api, path + "/events", tail == null ? Integer.MAX_VALUE : tail);
        } else {
            String text = api.get(path + "/log"
                            + new Query()
                                    .with("run", run)
                                    .with("tail", tail)
                                    .with("timestamps", timestamps ? "true" : null))
                    .body();
            text.lines().map(screen::safe).forEach(screen.out()::println);
        }
        lines.end();
        screen.out().flush();
        return ExitCode.OK;
    }

    /** Prints the last lines there are now; answers the position of the last of them, from which on to follow. */
    private long printTail(LogLine lines, Api api, String path, int most) {
        Deque<JsonNode> last = new ArrayDeque<>();
        long position = 0;
        boolean more = true;
        while (more) {
            JsonNode page = api.get(path + new Query().with("types", LINES).with("from", position))
                    .json();
            for (JsonNode event : page.path("events")) {
                position = event.path("position").asLong();
                if (wanted(event)) {
                    last.add(event);
                }
                if (last.size() > most) {
                    last.removeFirst();
                }
            }
            more = page.hasNonNull("next");
        }
        last.forEach(event -> print(lines, event, event.toString()));
        return position;
    }

    private boolean wanted(JsonNode event) {
        return run == null || event.path("run").asInt() == run;
    }

    private void print(LogLine lines, JsonNode event, String json) {
        if (!wanted(event)) {
            return;
        }
        if (server.json()) {
            screen.out().println(json);
        } else {
            lines.add(event);
        }
        screen.out().flush();
    }
}
