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
 * A PostgreSQL server that belongs to this process: durable, reachable from this machine only, and gone within about a
 * second if the process is killed. The next start on the same directory goes on with the same data.
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
                "PostgreSQL {} on port {} in {} ms, data in {}",
                binaries.majorVersion(),
                port,
                startupTime.toMillis(),
                home);
    }

    /**
     * Returns when the server accepts connections.
     *
     * @throws EmbeddedPostgresException if it does not, with one line that says what to do
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
            throw new EmbeddedPostgresException(
                    "PostgreSQL could not be started in " + config.home() + " (" + e + ")", e);
        }
    }

    private static HomeLock lock(Path home) {
        try {
            Files.createDirectories(home);
            return HomeLock.acquire(home);
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    home + " cannot be written (" + reason(e) + "): choose a directory that you own", e);
        }
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e.toString();
    }

    private int startOnSomePort(int wanted) throws IOException {
        for (int attempt = 1; ; attempt++) {
            int candidate = wanted == 0 ? FreePort.choose() : wanted;
            try {
                server.start(candidate);
                return candidate;
            } catch (PortTakenException e) {
                if (wanted != 0 || attempt == PORT_ATTEMPTS) {
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

    /** From the call of {@link #start} until connections were accepted. */
    public Duration startupTime() {
        return startupTime;
    }

    /** Stops the server as {@link #close} does but keeps the directory, for {@link #startServer} to go on. */
    public synchronized void stopServer() {
        server.stop();
    }

    /** Ends the server without letting it write anything, as a power failure would, for tests of recovery. */
    public synchronized void crashServer() {
        server.crash();
    }

    /** Starts a stopped or crashed server again, on the same port; does nothing if it runs. */
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
            throw new EmbeddedPostgresException("PostgreSQL could not be started again in " + home + " (" + e + ")", e);
        }
    }

    synchronized long postmasterPid() throws IOException {
        return server.postmasterPid();
    }

    /** Stops the server, waits until it is gone, and lets go of the directory. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (lock) {
            server.stop();
        } catch (IOException e) {
            log.warn("the lock on {} could not be released: {}", home, e.toString());
        }
    }
}
