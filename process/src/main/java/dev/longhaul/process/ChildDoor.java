package dev.longhaul.process;

import dev.longhaul.process.child.Wire;
import dev.longhaul.process.child.Word;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where children come in: a socket in a private directory, open only to who has a secret that was never used. */
final class ChildDoor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildDoor.class);
    private static final int SECRET_BYTES = 32;

    private final Path directory;
    private final UnixDomainSocketAddress address;
    private final ServerSocketChannel server;
    private final Map<String, Child> expected = new ConcurrentHashMap<>();
    private final AtomicLong lastFile = new AtomicLong();

    /**
     * Opens it.
     *
     * @param directory an empty one that nobody else can read; removed at the end
     */
    ChildDoor(Path directory) throws IOException {
        this.directory = directory;
        address = UnixDomainSocketAddress.of(directory.resolve("worker"));
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        start("longhaul-children", this::acceptAll);
    }

    private static void start(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    UnixDomainSocketAddress address() {
        return address;
    }

    /** The name of a new file, which nobody else can read. */
    Path newFile(String name) {
        return directory.resolve(name + lastFile.incrementAndGet());
    }

    /** A secret for a child that is about to start. */
    String expect(Child child) {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        String secret = HexFormat.of().formatHex(random);
        expected.put(secret, child);
        return secret;
    }

    void forget(Child child) {
        expected.values().remove(child);
    }

    private void acceptAll() {
        try {
            while (server.isOpen()) {
                SocketChannel channel = server.accept();
                start("longhaul-child", () -> welcome(channel));
            }
        } catch (IOException e) {
            LOG.debug("no more children are expected", e);
        }
    }

    private void welcome(SocketChannel channel) {
        var wire = new Wire(channel);
        try {
            Wire.Said said = wire.hear();
            Child child = said == null || said.word() != Word.HELLO ? null : expected.remove(said.text(0));
            if (child == null) {
                LOG.warn("somebody without a secret was turned away from {}", address);
                wire.close();
                return;
            }
            child.connected(wire);
        } catch (IOException | RuntimeException e) {
            LOG.debug("a child has left", e);
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
            LOG.debug("{} was not removed", directory, e);
        }
    }
}
