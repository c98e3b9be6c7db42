package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Starts and stops the server of one data directory, repeatedly. */
final class Server {
    /** Limit of one start; long, because crash recovery may take minutes and starts over if it is interrupted. */
    private static final Duration START_LIMIT = Duration.ofMinutes(5);

    private static final Duration STOP_LIMIT = Duration.ofMinutes(1);

    /** Time for the children of a killed postmaster to exit. */
    private static final Duration CHILDREN_LIMIT = Duration.ofSeconds(10);

    private final Binaries binaries;
    private final Path data;
    private final Map<String, String> settings;
    private final ServerLog log;
    private @Nullable ServerProcess process;

    Server(Binaries binaries, DataDirectory directory, Map<String, String> settings) {
        this.binaries = binaries;
        this.data = directory.data();
        this.settings = settings;
        this.log = new ServerLog(directory.home());
    }

    void start(int port) throws IOException {
        LeftoverServer.settle(data);
        var deadline = System.nanoTime() + CHILDREN_LIMIT.toNanos();
        while (true) {
            log.begin();
            var started = ServerProcess.launch(command(port), data, log);
            if (awaitReady(started)) {
                process = started;
                return;
            }
            var output = log.sinceBegin();
            if (output.contains("could not bind")) {
                throw new PortTakenException(port);
            }
            if (!output.contains("pre-existing shared memory block") || System.nanoTime() > deadline) {
                throw new EmbeddedPostgresException(
                        "PostgreSQL failed to start, see " + log.file() + ": " + log.lastLines());
            }
        }
    }

    private boolean awaitReady(ServerProcess started) throws IOException {
        var ready = false;
        try {
            ready = started.awaitReady(START_LIMIT);
            return ready;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedPostgresException("interrupted while PostgreSQL was starting", e);
        } finally {
            if (!ready) {
                started.abandon();
            }
        }
    }

    private List<String> command(int port) {
        var all = new LinkedHashMap<String, String>();
        all.put("listen_addresses", "127.0.0.1");
        all.put("unix_socket_directories", "");
        all.put("timezone", "UTC");
        all.put("log_timezone", "UTC");
        all.putAll(settings);
        var arguments = new ArrayList<>(List.of("-D", data.toString(), "-p", Integer.toString(port)));
        all.forEach((name, value) -> arguments.addAll(List.of("-c", name + "=" + value)));
        return binaries.command("postgres", arguments);
    }

    boolean isRunning() {
        return process != null && process.isAlive();
    }

    /**
     * Stops the server with a fast shutdown: closes all connections and writes a checkpoint. Returns when the server
     * has exited.
     */
    void stop() {
        end("INT");
    }

    /**
     * Stops the server with an immediate shutdown, like a power failure: the next start recovers committed data from
     * the WAL.
     */
    void crash() {
        end("QUIT");
    }

    private void end(String signal) {
        if (process != null) {
            end(process, signal);
        }
        process = null;
    }

    private static void end(ServerProcess process, String signal) {
        process.signal(signal);
        if (!process.awaitExit(STOP_LIMIT)) {
            process.signal("QUIT");
            if (!process.awaitExit(STOP_LIMIT)) {
                throw new EmbeddedPostgresException(
                        "PostgreSQL does not stop: kill process " + process.supervisorPid() + " and its children");
            }
        }
    }

    long postmasterPid() throws IOException {
        if (process == null) {
            throw new IllegalStateException("the server is stopped");
        }
        return process.postmasterPid();
    }
}
