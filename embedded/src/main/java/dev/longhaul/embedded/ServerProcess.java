package dev.longhaul.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A running server under its supervisor, the shell that runs {@code supervise.sh}. */
final class ServerProcess {
    private static final Duration POLL = Duration.ofMillis(5);

    /** More than a server told to end at once grants its children. */
    private static final Duration ABANDON_LIMIT = Duration.ofSeconds(30);

    private final Process supervisor;
    private final Path data;

    private ServerProcess(Process supervisor, Path data) {
        this.supervisor = supervisor;
        this.data = data;
    }

    static ServerProcess launch(List<String> postgres, Path data, ServerLog log) throws IOException {
        var command = new ArrayList<>(newSession());
        command.addAll(List.of("/bin/sh", "-c", supervise(), "supervise.sh"));
        command.addAll(postgres);
        var supervisor = Command.builder(command)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()))
                .start();
        return new ServerProcess(supervisor, data);
    }

    /** Ctrl-C reaches every process of the terminal's group; in a session of its own, the server outlasts our drain. */
    private static List<String> newSession() {
        // macOS has no setsid program, but perl.
        return Command.exists("setsid")
                ? List.of("setsid")
                : List.of("perl", "-MPOSIX", "-e", "POSIX::setsid(); exec @ARGV", "--");
    }

    private static String supervise() throws IOException {
        try (var in = ServerProcess.class.getResourceAsStream("supervise.sh")) {
            if (in == null) {
                throw new IllegalStateException("supervise.sh is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Whether the server accepts connections, false if it ended instead or took too long. */
    boolean awaitReady(Duration limit) throws IOException, InterruptedException {
        var deadline = System.nanoTime() + limit.toNanos();
        while (!isReady()) {
            if (supervisor.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                return false;
            }
        }
        return true;
    }

    private boolean isReady() throws IOException {
        // A file left by an earlier server may say "ready" too.
        return PostmasterFile.read(data)
                .filter(file -> file.isReady() && isOurs(file.pid()))
                .isPresent();
    }

    private boolean isOurs(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(ProcessHandle::parent)
                .filter(parent -> parent.pid() == supervisor.pid())
                .isPresent();
    }

    boolean isAlive() {
        return supervisor.isAlive();
    }

    long supervisorPid() {
        return supervisor.pid();
    }

    long postmasterPid() throws IOException {
        return PostmasterFile.read(data).map(PostmasterFile::pid).orElseThrow();
    }

    /** Has the supervisor send the signal: it alone knows for sure whose process id the server's is. */
    void signal(String name) {
        try {
            var pipe = supervisor.getOutputStream();
            pipe.write((name + "\n").getBytes(StandardCharsets.UTF_8));
            pipe.flush();
        } catch (IOException e) {
            if (supervisor.isAlive()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Ends a server that may not listen to signals yet, as if we had been killed. */
    void abandon() throws IOException {
        supervisor.getOutputStream().close();
        awaitExit(ABANDON_LIMIT);
    }

    /** Whether the server has ended in time. An interrupt does not hurry it: a half-stopped server helps nobody. */
    boolean awaitExit(Duration limit) {
        var deadline = System.nanoTime() + limit.toNanos();
        var interrupted = false;
        try {
            while (true) {
                try {
                    return supervisor.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
