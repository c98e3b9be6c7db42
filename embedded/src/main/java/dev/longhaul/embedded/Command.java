package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs PostgreSQL's programs without root privileges and with a fixed locale. */
final class Command {
    /** Exit status and output of a program. */
    record Result(int status, String output) {
        String lastLine() {
            return output.strip().lines().reduce((first, second) -> second).orElse("no output");
        }
    }

    private Command() {}

    static ProcessBuilder builder(List<String> command) {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        var environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("PG"));
        // The start-up code searches the server's log for English messages.
        environment.put("LC_ALL", "C");
        return builder;
    }

    /**
     * Wraps the command in a user namespace if this process is root, because PostgreSQL refuses to run as root. There
     * it has no privileges and runs as {@code nobody}, but owns the same files. With {@code su} or {@code setpriv},
     * directories would have to change their owner.
     */
    static List<String> unprivileged(List<String> command) {
        if (!isRoot()) {
            return command;
        }
        var wrapped = new ArrayList<>(List.of("unshare", "--user"));
        wrapped.addAll(command);
        return wrapped;
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    static boolean exists(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    static Result run(List<String> command) throws IOException {
        var process = builder(command).start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return new Result(process.waitFor(), output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedPostgresException("interrupted while waiting for " + command.get(0), e);
        }
    }
}
