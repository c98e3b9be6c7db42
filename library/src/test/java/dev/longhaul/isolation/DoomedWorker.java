package dev.longhaul.isolation;

import static dev.longhaul.JobOptions.options;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventType;
import dev.longhaul.isolation.ChildJobs.Nothing;
import dev.longhaul.json.Json;
import dev.longhaul.process.command.Commands;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A worker with process trees, for a test that kills or stops it. */
final class DoomedWorker {
    private DoomedWorker() {}

    /** Takes a mark for its processes' command lines, the lease in milliseconds, and the number of trees. */
    public static void main(String[] arguments) throws Exception {
        String mark = arguments[0];
        int trees = Integer.parseInt(arguments[2]);
        Longhaul longhaul = Longhaul.builder()
                .memory()
                .register(new ChildJobs().definitions().toArray(JobDefinition<?, ?>[]::new))
                .register(Commands.any())
                .slots(trees)
                .lease(Duration.ofMillis(Long.parseLong(arguments[1])))
                .start();
        var jobs = new Isolated(longhaul);
        for (int i = 0; i < trees - 1; i++) {
            // The first tree has a daemon that detached itself completely.
            String script = i == 0
                    ? "(env -i setsid sh -c 'sleep 600; echo " + mark + "' &); sleep 600; echo " + mark
                    : "sh -c 'sleep 600; echo " + mark + "'; echo " + mark;
            longhaul.jobs()
                    .enqueue(
                            Commands.KEY,
                            null,
                            Json.write(Map.of("argv", List.of("/bin/sh", "-c", "echo up; " + script))),
                            options());
        }
        var stubborn = longhaul.later(ChildJobs.STUBBORN, new Nothing());
        jobs.await(stubborn, job -> jobs.log(stubborn).contains("waiting"));
        System.out.println("ready "
                + jobs.payloads(stubborn, EventType.PROCESS_START).get(0).get("pid"));
        // The parent process holds the other end.
        while (System.in.read() >= 0) {}
        Runtime.getRuntime().halt(3);
    }
}
