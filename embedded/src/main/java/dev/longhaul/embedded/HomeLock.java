package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Lets one server at a time use a home directory. The operating system releases the lock when the process ends. */
final class HomeLock implements AutoCloseable {
    /**
     * The homes in use by this process. The operating system releases a lock when the process closes any channel to the
     * file, so a home that is already locked here must not be opened again.
     */
    private static final Set<Path> heldHere = ConcurrentHashMap.newKeySet();

    private final Path home;
    private final FileChannel channel;

    private HomeLock(Path home, FileChannel channel) {
        this.home = home;
        this.channel = channel;
    }

    static HomeLock acquire(Path directory) throws IOException {
        var home = directory.toRealPath();
        if (!heldHere.add(home)) {
            throw inUse(home, "in this process");
        }
        try {
            return lock(home);
        } catch (IOException | RuntimeException e) {
            heldHere.remove(home);
            throw e;
        }
    }

    private static HomeLock lock(Path home) throws IOException {
        var file = home.resolve("lock");
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() == null) {
                throw inUse(home, "process " + Files.readString(file).strip());
            }
            var owner = Long.toString(ProcessHandle.current().pid()) + "\n";
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)));
            return new HomeLock(home, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static EmbeddedPostgresException inUse(Path home, String owner) {
        return new EmbeddedPostgresException(
                home + " is in use by another server (" + owner + "): stop it, or choose another directory");
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            channel.close();
            heldHere.remove(home);
        }
    }
}
