package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server that belongs to this process: durable, reachable from this machine only, and stopped within about
 * a second if the process is killed. The next start with the same directory uses the same data.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final int PORT_ATTEMPTS = 5;

    private final Path home;
    private final HomeLock lock;
    private final Server server;
    private final String password;
    private final Duration startupTime;
    private final int port;
    private boolean closed;

    private EmbeddedPostgres(EmbeddedPostgresConfig config, HomeLock lock, long startedAt) throws IOException {
        this.home = config.home();
        this.lock = lock;
        var binaries = Binaries.of(config);
        var directory = new DataDirectory(home);
        directory.prepare(binaries);
        this.password = directory.password();
        this.server = new Server(binaries, directory, config.settings());
        this.port = startOnSomePort(config.port());
        this.startupTime = Duration.ofNanos(System.nanoTime() - startedAt);
        log.info(
                "PostgreSQL {} started on port {} in {} ms, data in {}",
                binaries.majorVersion(),
                port,
                startupTime.toMillis(),
                home);
    }

    /**
     * Starts a server, and returns when it accepts connections.
     *
     * @throws EmbeddedPostgresException if it fails; the message is one line that says what to do
     */
    public static EmbeddedPostgres start(EmbeddedPostgresConfig config) {
        var startedAt = System.nanoTime();
        try {
            var lock = lock(config.home());
            try {
                return new EmbeddedPostgres(config, lock, startedAt);
            } catch (IOException | RuntimeException | Error e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException("could not start PostgreSQL in " + config.home() + " (" + e + ")", e);
        }
    }

    private static HomeLock lock(Path home) {
        try {
            Files.createDirectories(home);
            return HomeLock.acquire(home);
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    home + " is not writable (" + reason(e) + "): choose a directory that you own", e);
        }
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e.toString();
    }

    private int startOnSomePort(int configured) throws IOException {
        for (int attempt = 1; ; attempt++) {
            int candidate = configured == 0 ? FreePort.choose() : configured;
            try {
                server.start(candidate);
                return candidate;
            } catch (PortTakenException e) {
                if (configured != 0 || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    public String user() {
        return DataDirectory.USER;
    }

    public String password() {
        return password;
    }

    public int port() {
        return port;
    }

    /** Time from the call of {@link #start} until the server accepted connections. */
    public Duration startupTime() {
        return startupTime;
    }

    /**
     * Stops the server like {@link #close}, but keeps the lock on the directory; {@link #startServer} starts it again.
     */
    public synchronized void stopServer() {
        server.stop();
    }

    /** Stops the server without a checkpoint, like a power failure, for tests of recovery. */
    public synchronized void crashServer() {
        server.crash();
    }

    /** Starts a stopped or crashed server again, on the same port. No effect if it is running. */
    public synchronized void startServer() {
        if (closed) {
            throw new IllegalStateException("the server in " + home + " is closed");
        }
        if (server.isRunning()) {
            return;
        }
        try {
            server.start(port);
        } catch (IOException e) {
            throw new EmbeddedPostgresException("could not restart PostgreSQL in " + home + " (" + e + ")", e);
        }
    }

    synchronized long postmasterPid() throws IOException {
        return server.postmasterPid();
    }

    /** Stops the server, waits for its end and releases the directory. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (lock) {
            server.stop();
        } catch (IOException e) {
            log.warn("could not release the lock on {}: {}", home, e.toString());
        }
    }
}
