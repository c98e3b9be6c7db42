package dev.longhaul.process.java;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.process.child.Wire;
import dev.longhaul.process.child.Word;
import dev.longhaul.process.supervise.ProcessUser;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket that child JVMs connect to. It is in a private directory, and each child authenticates with a secret that
 * is valid once.
 */
final class ChildSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildSocket.class);
    private static final int SECRET_BYTES = 32;

    private final Path directory;
    private final UnixDomainSocketAddress address;
    private final ServerSocketChannel server;
    private final ProcessUser user;
    private final Map<String, Expected> expected = new ConcurrentHashMap<>();
    private final AtomicLong lastFile = new AtomicLong();

    /** The child that a secret belongs to, and the file that holds the secret until the child connects. */
    private record Expected(Child child, Path file) {}

    /**
     * Opens the socket.
     *
     * @param directory an empty, private directory; {@link #close} removes it
     * @param user the system user that may connect
     */
    ChildSocket(Path directory, ProcessUser user) throws IOException {
        this.directory = directory;
        this.user = user;
        address = UnixDomainSocketAddress.of(directory.resolve("worker"));
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        Files.setPosixFilePermissions(address.getPath(), PosixFilePermissions.fromString("rw-------"));
        user.give(address.getPath());
        BackgroundLoop.vital("children", this::accept);
    }

    private static void start(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    UnixDomainSocketAddress address() {
        return address;
    }

    /** Returns an unused file name in the private directory. */
    Path newFile(String name) {
        return directory.resolve(name + lastFile.incrementAndGet());
    }

    /** Creates the secret of a child that will be started, and returns the file that contains it. */
    Path expect(Child child) throws IOException {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        String secret = HexFormat.of().formatHex(random);
        Path file = user.write(newFile("secret"), secret);
        expected.put(secret, new Expected(child, file));
        return file;
    }

    void forget(Child child) {
        expected.entrySet().stream()
                .filter(entry -> entry.getValue().child() == child)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(this::admit);
    }

    /** Returns the child that the secret belongs to and invalidates the secret; null if it is unknown. */
    private @Nullable Child admit(String secret) {
        Expected found = expected.remove(secret);
        if (found == null) {
            return null;
        }
        try {
            Files.deleteIfExists(found.file());
        } catch (IOException e) {
            LOG.debug("could not remove {}", found.file(), e);
        }
        return found.child();
    }

    private boolean accept() throws IOException {
        SocketChannel channel;
        try {
            channel = server.accept();
        } catch (ClosedChannelException e) {
            LOG.debug("the socket for child JVMs is closed", e);
            return false;
        }
        try {
            start("longhaul-child", () -> handshake(channel));
        } catch (Error e) {
            // The thread could not be started.
            channel.close();
            throw e;
        }
        return true;
    }

    private void handshake(SocketChannel channel) {
        var wire = new Wire(channel);
        try {
            Wire.Said said = wire.hear();
            Child child = said == null || said.word() != Word.HELLO ? null : admit(said.text(0));
            if (child == null) {
                LOG.warn("rejected a connection without a valid secret to {}", address);
                wire.close();
                return;
            }
            child.connected(wire);
        } catch (IOException | RuntimeException e) {
            LOG.debug("connection to a child JVM lost during the handshake", e);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(address.getPath());
            try (var left = Files.list(directory)) {
                for (Path file : left.toList()) {
                    Files.deleteIfExists(file);
                }
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            LOG.debug("could not remove {}", directory, e);
        }
    }
}
