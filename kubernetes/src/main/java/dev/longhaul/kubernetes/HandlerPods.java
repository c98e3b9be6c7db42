package dev.longhaul.kubernetes;

import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.error.Problems;
import java.util.List;

/**
 * Settings for pods that execute handlers in Java and report to a server.
 *
 * @param server the server that pods report to
 * @param command the command of their containers, which calls {@code TaskRun.main}
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
