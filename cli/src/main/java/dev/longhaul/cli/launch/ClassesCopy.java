package dev.longhaul.cli.launch;

import dev.longhaul.process.supervise.OwnedDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A copy of a directory of classes. Running code loads classes from the copy, because a build may be writing the
 * directory.
 */
record ClassesCopy(OwnedDirectory owned) implements AutoCloseable {
    static ClassesCopy of(Path classes) throws IOException {
        var copy = new ClassesCopy(OwnedDirectory.create("longhaul-jobs-"));
        try {
            for (Path source : tree(classes)) {
                Path target =
                        copy.directory().resolve(classes.relativize(source).toString());
                if (Files.isDirectory(source)) {
                    Files.createDirectories(target);
                    allowAsIn(source, target);
                } else {
                    Files.copy(source, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
            return copy;
        } catch (IOException | RuntimeException e) {
            copy.close();
            throw e;
        }
    }

    /** Copies the permissions, because jobs may run as another user who must be able to read the copy. */
    private static void allowAsIn(Path source, Path target) throws IOException {
        if (source.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(source);
            permissions.addAll(PosixFilePermissions.fromString("rwx------"));
            Files.setPosixFilePermissions(target, permissions);
        }
    }

    private static List<Path> tree(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.toList();
        }
    }

    Path directory() {
        return owned.path();
    }

    @Override
    public void close() {
        owned.close();
    }
}
