package dev.longhaul.cli.launch;

import dev.longhaul.internal.loop.BackgroundLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls for changes of jars and classes. Polling works on every file system, and with builds that recreate their
 * directories. Reports a change once the files no longer change.
 */
final class JobsWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobsWatch.class);
    private static final long PAUSE_MILLIS = 250;

    private final List<Path> paths;
    private final Runnable changed;
    private final CountDownLatch closed = new CountDownLatch(1);
    private Map<Path, Stamp> acted;
    private Map<Path, Stamp> seen;

    /** The modification time and the size of a file, to detect changes. */
    private record Stamp(long modifiedNanos, long size) {}

    JobsWatch(List<Path> paths, Runnable changed) {
        this.paths = paths;
        this.changed = changed;
        this.acted = stamps();
        this.seen = acted;
    }

    JobsWatch start() {
        BackgroundLoop.helper("jobs-watch", () -> {
            runOnce();
            return !closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        });
        return this;
    }

    /**
     * Calls the listener if the files have changed since the last call of the listener, and have not changed since the
     * last poll.
     */
    void runOnce() {
        Map<Path, Stamp> now = stamps();
        boolean settled = now.equals(seen) && !now.isEmpty();
        seen = now;
        if (settled && !now.equals(acted)) {
            acted = now;
            changed.run();
        }
    }

    private Map<Path, Stamp> stamps() {
        var stamps = new TreeMap<Path, Stamp>();
        for (Path path : paths) {
            try (Stream<Path> tree = Files.walk(path)) {
                for (Path file : tree.filter(Files::isRegularFile).toList()) {
                    var attributes = Files.readAttributes(file, BasicFileAttributes.class);
                    stamps.put(
                            file, new Stamp(attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), attributes.size()));
                }
            } catch (IOException | UncheckedIOException e) {
                LOG.trace("reading {} failed, probably during a build; retrying with the next poll", path, e);
                return Map.of();
            }
        }
        return stamps;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
