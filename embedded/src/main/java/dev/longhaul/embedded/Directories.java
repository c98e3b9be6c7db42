package dev.longhaul.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates private files, syncs files and deletes directories. */
final class Directories {
    private static final Logger log = LoggerFactory.getLogger(Directories.class);

    private Directories() {}

    /** Creates an empty file that only its owner can read, unless it exists. */
    static void createPrivateFile(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }

    /** Syncs a file, or the entries of a directory, to disk. */
    static void sync(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Deletes directories left by killed processes. Failures are ignored; the next start tries again. */
    static void deleteLeftovers(Path parent, String glob, Duration minimumAge) {
        var newest = FileTime.from(Instant.now().minus(minimumAge));
        try (var leftovers = Files.newDirectoryStream(parent, glob)) {
            for (var leftover : leftovers) {
                if (Files.getLastModifiedTime(leftover).compareTo(newest) <= 0) {
                    delete(leftover);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            log.debug(
                    "could not delete leftover directories in {}; retrying at the next start: {}",
                    parent,
                    e.toString());
        }
    }

    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (var paths = Files.walk(directory)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
