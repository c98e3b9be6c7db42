package dev.longhaul.cli.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files and directories that only their owner can read. */
final class PrivateFiles {
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private PrivateFiles() {}

    static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, attributes("rwx------"));
    }

    /** Creates an empty temporary file in the directory. */
    static Path createTemporary(Path directory) throws IOException {
        return Files.createTempFile(directory, ".new-", null, attributes("rw-------"));
    }

    /** Replaces the content atomically: readers see either the old or the new content. */
    static void write(Path file, String content) throws IOException {
        Path temporary = createTemporary(file.resolveSibling("."));
        try {
            Files.writeString(temporary, content, UTF_8);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Returns whether the file belongs to this user and no other user can access it. */
    static boolean isPrivate(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        if (!POSIX) {
            return true;
        }
        Set<PosixFilePermission> open = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
        return open.stream().allMatch(one -> one.name().startsWith("OWNER_"))
                && Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).equals(self(file));
    }

    /** Returns the user of this process: the owner of a new file, because names in the environment may be wrong. */
    private static Object self(Path file) throws IOException {
        Path probe = createTemporary(file.resolveSibling("."));
        try {
            return Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS);
        } finally {
            Files.deleteIfExists(probe);
        }
    }

    private static FileAttribute<?>[] attributes(String permissions) {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
