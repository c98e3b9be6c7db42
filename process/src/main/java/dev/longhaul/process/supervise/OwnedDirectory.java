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
 * A temporary directory that goes with its process. One that is killed leaves it behind, and the next that makes such a directory
 * removes it. That the owner lives is told by a lock, which the kernel gives up with the process, and which is seen from other
 * containers too.
 */
public final class OwnedDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedDirectory.class);
    private static final String LOCK = ".owner";
    /** Younger ones may be about to be locked. */
    private static final Duration NEW = Duration.ofMinutes(1);
    /** Not to be looked at: this process would give up its lock with any other channel to the file that it closes. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private OwnedDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Makes one that nobody else can read, in {@code java.io.tmpdir}. */
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
            LOG.debug("{} stays, should this process be killed", path, e);
            Files.delete(path.resolve(LOCK));
        }
        UserPrincipal self = Files.getOwner(path);
        // There may be much in them.
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
                // A link, or what is another user's, could lead anywhere by the time it is removed.
                if (!OWN.contains(directory)
                        && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(self)) {
                    removeIfOrphan(directory);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("{} cannot be looked through", parent, e);
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
                LOG.info("removed {}, which a process that was killed had left", directory);
            }
        } catch (IOException | OverlappingFileLockException e) {
            LOG.debug("{} is left alone", directory, e);
        }
    }

    /** Removes it with all that is in it. */
    @Override
    public void close() {
        TreeKiller.removeAll(path);
        try {
            lock.close();
        } catch (IOException e) {
            LOG.debug("the lock of {} could not be closed", path, e);
        }
        OWN.remove(path);
    }
}
