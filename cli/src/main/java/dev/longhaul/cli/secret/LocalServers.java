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
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running servers of this user that need a local token: a file per port, which only the user can read. A server holds a lock
 * on its file as long as it lives, so that the token of a server that has ended is never sent to another process on its port.
 */
public final class LocalServers {
    private static final Logger LOG = LoggerFactory.getLogger(LocalServers.class);
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Path directory;

    LocalServers(Path directory) {
        this.directory = directory;
    }

    /** Those of the user whose environment this is. */
    public static LocalServers of(Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", ""));
        Path base = state.isBlank() ? Path.of(home, ".local", "state") : Path.of(state);
        return new LocalServers(base.resolve("longhaul").resolve("servers"));
    }

    /** Makes a token known until the result is closed or the process ends. Failures are only logged. */
    public AutoCloseable add(int port, String token) {
        try {
            PrivateFiles.createDirectories(directory);
            Path temporary = PrivateFiles.createTemporary(directory);
            FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE);
            channel.lock();
            channel.write(ByteBuffer.wrap(token.getBytes(UTF_8)));
            Path file = file(port);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            return () -> {
                Files.deleteIfExists(file);
                channel.close();
            };
        } catch (IOException e) {
            LOG.warn(
                    "client commands on this machine need --key-file: the token could not be written to {} ({})",
                    file(port),
                    e.toString());
            return () -> {};
        }
    }

    /** The token of the server at that URL; null if no running server of this user needs one there. */
    public @Nullable String token(URI url) {
        String host = url.getHost();
        int port = url.getPort() < 0 ? ("https".equals(url.getScheme()) ? 443 : 80) : url.getPort();
        if (host == null || !LOOPBACK.contains(host)) {
            return null;
        }
        try (FileChannel channel = FileChannel.open(file(port), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return locked(channel) ? Files.readString(file(port)).strip() : null;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            LOG.debug("the token of {} could not be read", url, e);
            return null;
        }
    }

    /** Whether the server that wrote the file still lives. */
    private static boolean locked(FileChannel channel) throws IOException {
        try (FileLock free = channel.tryLock()) {
            return free == null;
        } catch (OverlappingFileLockException e) {
            return true; // by a server in this very process
        }
    }

    private Path file(int port) {
        return directory.resolve(Integer.toString(port));
    }
}
