package dev.longhaul.server.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks the permissions of files with secrets. */
public final class SecretFile {
    private static final Logger LOG = LoggerFactory.getLogger(SecretFile.class);
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);
    private static final Set<PosixFilePermission> GROUP =
            EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE);

    private SecretFile() {}

    /**
     * Logs a warning if other users can read or write the file.
     *
     * @param secret its content, such as {@code the admin key}
     */
    public static void warnIfOpen(Path file, String secret) {
        var wrong = EnumSet.copyOf(OTHERS);
        wrong.addAll(GROUP);
        warn(file, secret, wrong, "600");
    }

    /**
     * Logs a warning like {@link #warnIfOpen}, for files that the server's group may read, such as files of an
     * administrator.
     */
    public static void warnIfOpenToAll(Path file, String secret) {
        warn(file, secret, OTHERS, "640");
    }

    private static void warn(Path file, String secret, Set<PosixFilePermission> wrong, String mode) {
        try {
            var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
            if (view == null) {
                return;
            }
            var open = EnumSet.copyOf(wrong);
            open.retainAll(view.readAttributes().permissions());
            if (!open.isEmpty()) {
                LOG.warn(
                        "{} contains {} and is open to other users ({}); run: chmod {} {}",
                        file,
                        secret,
                        open,
                        mode,
                        file);
            }
        } catch (IOException e) {
            LOG.debug("reading the permissions of {} failed", file, e);
        }
    }
}
