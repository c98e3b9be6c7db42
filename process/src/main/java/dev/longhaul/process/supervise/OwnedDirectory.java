package dev.longhaul.process.supervise;

import dev.longhaul.process.sitter.TreeKiller;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary directory that its process removes on exit. If the process is killed, the next process that creates such
 * a directory removes it. A file lock shows that the owner is alive: the kernel releases the lock when the process
 * ends, and other containers see it.
 */
public final class OwnedDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedDirectory.class);
    private static final String LOCK = ".owner";
    /** Minimum age of a directory that is removed; a younger directory may not be locked yet. */
    private static final Duration NEW = Duration.ofMinutes(1);
    /**
     * The directories of this process. The sweeper skips them: closing any other channel to the lock file would release
     * the lock.
     */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private OwnedDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Creates a private directory in {@code java.io.tmpdir}. */
    public static OwnedDirectory create(String prefix) throws IOException {
        return create(Path.of(System.getProperty("java.io.tmpdir")), prefix);
    }

    static OwnedDirectory create(Path parent, String prefix) throws IOException {
        Path path = Files.createTempDirectory(parent, prefix);
        OWN.add(path);
        var lock = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            lock.lock();
        } catch (IOException e) {
            LOG.debug("could not lock {}; it will not be removed if this process is killed", path, e);
            Files.delete(path.resolve(LOCK));
        }
        UserPrincipal self = Files.getOwner(path);
        // In the background, because orphaned directories may be large.
        var sweeper = new Thread(() -> removeOrphans(parent, prefix, self), "longhaul-sweeper");
        sweeper.setDaemon(true);
        sweeper.start();
        return new OwnedDirectory(path, lock);
    }

    public Path path() {
        return path;
    }

    static void removeOrphans(Path parent, String prefix, UserPrincipal self) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, prefix + "*")) {
            for (Path directory : all) {
                // Links and directories of other users are skipped: another user could replace them during the removal.
                if (!OWN.contains(directory)
                        && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(self)) {
                    removeIfOrphan(directory);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("could not search {} for orphaned directories", parent, e);
        }
    }

    private static void removeIfOrphan(Path directory) {
        Path file = directory.resolve(LOCK);
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                var lock = channel.tryLock()) {
            if (lock != null
                    && Files.getLastModifiedTime(file)
                            .toInstant()
                            .isBefore(Instant.now().minus(NEW))) {
                TreeKiller.removeAll(directory);
                LOG.info("removed {}, left by a killed process", directory);
            }
        } catch (IOException | OverlappingFileLockException e) {
            LOG.debug("could not check {} for its owner; keeping it", directory, e);
        }
    }

    /** Removes the directory and its contents. */
    @Override
    public void close() {
        TreeKiller.removeAll(path);
        try {
            lock.close();
        } catch (IOException e) {
            LOG.debug("could not close the lock of {}", path, e);
        }
        OWN.remove(path);
    }
}
