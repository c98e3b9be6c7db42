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

    /** Limit of an abandoned server's exit: longer than an immediate shutdown waits for the server's children. */
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

    /**
     * The command prefix that starts the server in a new session: Ctrl-C signals the whole process group of the
     * terminal, and the server must outlive the drain of jobs.
     */
    private static List<String> newSession() {
        // macOS has no setsid program, but it has perl.
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

    /** Waits until the server accepts connections; returns false if it exited or the limit passed. */
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
        // A file left by an earlier server may also contain "ready".
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

    /**
     * Signals the server through its supervisor. The server is the supervisor's child, so its process id cannot have
     * been reused.
     */
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

    /** Stops a server that may not handle signals yet, in the same way as after the death of this process. */
    void abandon() throws IOException {
        supervisor.getOutputStream().close();
        awaitExit(ABANDON_LIMIT);
    }

    /** Waits for the server's exit; returns false if the limit passed. Continues to wait after an interrupt. */
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
