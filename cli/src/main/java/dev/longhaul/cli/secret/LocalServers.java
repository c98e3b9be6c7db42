package dev.longhaul.cli.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running local servers of this user. Each server has a file, which only the user can read, with its token and URL.
 * A server holds a lock on its file while it runs, so that the token of a server that has ended is never sent to
 * another process on its port.
 */
public final class LocalServers {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Path directory;

    /**
     * A separate class, so that the logger is created only when something is logged: it takes a client command more
     * time than its request.
     */
    private static final class Log {
        private static final Logger LOG = LoggerFactory.getLogger(LocalServers.class);
    }

    LocalServers(Path directory) {
        this.directory = directory;
    }

    /** Returns the servers of the user with this environment. */
    public static LocalServers of(Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", ""));
        Path base = state.isBlank() ? Path.of(home, ".local", "state") : Path.of(state);
        return new LocalServers(base.resolve("longhaul").resolve("servers"));
    }

    /**
     * Registers a server until the returned object is closed or the process ends. Failures are only logged.
     *
     * @param token empty if the server accepts only API keys
     */
    public AutoCloseable add(URI url, String token) {
        int port = port(url);
        try {
            PrivateFiles.createDirectories(directory);
            Path temporary = PrivateFiles.createTemporary(directory);
            FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE);
            channel.lock();
            channel.write(ByteBuffer.wrap((token + "\n" + url + "\n").getBytes(UTF_8)));
            Path file = file(port);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            return () -> {
                Files.deleteIfExists(file);
                channel.close();
            };
        } catch (IOException e) {
            Log.LOG.warn(
                    "client commands on this machine need --url and --key-file: could not write {} ({})",
                    file(port),
                    e.toString());
            return () -> {};
        }
    }

    /** Returns the token of the server at the URL; null if no running server of this user requires a token there. */
    public @Nullable String token(URI url) {
        String host = url.getHost();
        if (host == null || !LOOPBACK.contains(host)) {
            return null;
        }
        List<String> lines = read(file(port(url)));
        return lines.isEmpty() || lines.get(0).isEmpty() ? null : lines.get(0);
    }

    /**
     * Returns the URL of a running server of this user: the server on the preferred port, or else the one that was
     * started last. Null if none runs.
     */
    public @Nullable URI url(int preferredPort) {
        List<String> preferred = read(file(preferredPort));
        if (preferred.size() > 1) {
            return URI.create(preferred.get(1));
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9]+"))
                    .sorted(Comparator.comparing(LocalServers::modified).reversed())
                    .map(LocalServers::read)
                    .filter(lines -> lines.size() > 1)
                    .map(lines -> URI.create(lines.get(1)))
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            return null; // No server has been started yet.
        }
    }

    private static long modified(Path file) {
        return file.toFile().lastModified();
    }

    /** Returns the lines of a server's file; none if the server does not run. */
    private static List<String> read(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return locked(channel) ? Files.readAllLines(file) : List.of();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            Log.LOG.debug("{} could not be read", file, e);
            return List.of();
        }
    }

    /**
     * Returns whether the server that wrote the file still runs. Uses a shared lock, so that two commands that check at
     * the same time do not take each other for the server.
     */
    private static boolean locked(FileChannel channel) throws IOException {
        try (FileLock free = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return free == null;
        } catch (OverlappingFileLockException e) {
            return true; // locked by a server in this process
        }
    }

    private static int port(URI url) {
        return url.getPort() < 0 ? ("https".equals(url.getScheme()) ? 443 : 80) : url.getPort();
    }

    private Path file(int port) {
        return directory.resolve(Integer.toString(port));
    }
}
