package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server that a killed process left on the data: still stopping, orphaned, or only its pid file. */
final class LeftoverServer {
    private static final Logger log = LoggerFactory.getLogger(LeftoverServer.class);

    /** Above the largest process id of any system, so no process has it. */
    private static final int UNUSED_PID = Integer.MAX_VALUE;

    /** Time for the supervisor of a killed process to stop the server. After that, the server is orphaned. */
    private static final Duration SUPERVISOR_GRACE = Duration.ofSeconds(2);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final Path data;
    private final long pid;

    private LeftoverServer(Path data, long pid) {
        this.data = data;
        this.pid = pid;
    }

    /** Stops a leftover server and removes its process id from the pid file, so that a new server can start. */
    static void settle(Path data) throws IOException {
        var file = PostmasterFile.read(data);
        if (file.isEmpty()) {
            Files.deleteIfExists(PostmasterFile.in(data));
            return;
        }
        var leftover = new LeftoverServer(data, file.get().pid());
        if (leftover.isRunning()) {
            leftover.stop(file.get().isStopping());
        }
        leftover.disownPid();
    }

    /**
     * Whether the process is a PostgreSQL server on this data. Process ids are reused, so it may be an unrelated
     * program.
     */
    private boolean isRunning() {
        var process = ProcessHandle.of(pid).map(ProcessHandle::info);
        var program = process.flatMap(ProcessHandle.Info::command).orElse("");
        // Not an exact match: Linux appends " (deleted)" if the program file was replaced.
        if (!program.substring(program.lastIndexOf('/') + 1).startsWith("postgres")) {
            return false;
        }
        // A server's working directory is its data directory. Without /proc, its arguments must contain that directory.
        var workingDirectory = Path.of("/proc", Long.toString(pid), "cwd");
        if (Files.exists(workingDirectory)) {
            return isSameFile(workingDirectory, data);
        }
        var arguments = process.flatMap(ProcessHandle.Info::arguments).orElse(new String[0]);
        return List.of(arguments).contains(data.toString());
    }

    private static boolean isSameFile(Path workingDirectory, Path data) {
        try {
            return Files.isSameFile(workingDirectory, data);
        } catch (IOException e) {
            // The process has ended in the meantime.
            return false;
        }
    }

    private void stop(boolean stopping) throws IOException {
        log.info("waiting for the PostgreSQL server of a killed process to stop (pid {})", pid);
        if (awaitEnd(stopping ? STOP_LIMIT : SUPERVISOR_GRACE)) {
            return;
        }
        for (var signal : List.of("INT", "QUIT")) {
            log.warn("stopping an orphaned PostgreSQL server on {} (SIG{} to pid {})", data, signal, pid);
            Command.run(List.of("/bin/sh", "-c", "kill -s " + signal + " " + pid));
            if (awaitEnd(STOP_LIMIT)) {
                return;
            }
        }
        throw new EmbeddedPostgresException("PostgreSQL process " + pid + " on " + data + " does not stop: kill it");
    }

    private boolean awaitEnd(Duration limit) {
        var deadline = System.nanoTime() + limit.toNanos();
        while (isRunning()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedPostgresException("interrupted while waiting for another server to stop", e);
        }
    }

    /**
     * Replaces the process id in the pid file, because PostgreSQL refuses to start if any process of the same user has
     * that id. The file itself must stay: it names the shared memory by which the new server detects live children of a
     * killed one.
     */
    private void disownPid() throws IOException {
        var file = PostmasterFile.in(data);
        if (Files.exists(file)) {
            Files.writeString(file, Files.readString(file).replaceFirst("\\d+", Integer.toString(UNUSED_PID)));
        }
    }
}
