package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** How PostgreSQL's programs are run: as someone they accept, in an environment that cannot change what they say. */
final class Command {
    /** Exit status and everything printed by a program that has ended. */
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
        // We read what the server logs while it starts, so it has to be in English.
        environment.put("LC_ALL", "C");
        return builder;
    }

    /**
     * Puts the command into a user namespace of its own if we are root, because PostgreSQL refuses to run as root. There
     * it has no privileges and sees itself as nobody, yet owns the same files as we do, so that no directory has to
     * change hands as it would with {@code su} or {@code setpriv}.
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
