package dev.longhaul.kubernetes;

import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.error.Problems;
import java.util.List;

/**
 * How handlers in Java run in pods: the pod executes the run and reports to a server.
 *
 * @param server where pods report
 * @param command of their containers, which calls {@code TaskRun.main}
 */
public record HandlerPods(TaskFile.Server server, List<String> command) {
    public HandlerPods {
        command = List.copyOf(command);
        new Problems()
                .require(
                        server.url().matches("https?://\\S+"),
                        "server",
                        server.url(),
                        "http://HOST:PORT or https://HOST")
                .require(!command.isEmpty(), "command", command, "at least one word")
                .throwIfAny();
    }
}
