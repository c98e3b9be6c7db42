package dev.longhaul.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts a server as the user {@code nobody}, for when the tests run as root. */
@Tag("full")
class NormalUserTest {
    private static final int NOBODY_UID = 65_534;

    @TempDir
    private Path directory;

    @Test
    void can_run_a_server() throws Exception {
        assumeTrue(Command.isRoot(), "not root: the other tests have already run as a normal user");
        assumeTrue(Command.exists("setpriv"), "setpriv is not installed");
        makeReadable(directory);
        var home = Files.createDirectory(directory.resolve("home"));
        Files.setAttribute(home, "unix:uid", NOBODY_UID);
        try (var child = ChildJvm.startWith(
                readableClassPath(),
                home,
                "setpriv",
                "--reuid=" + NOBODY_UID,
                "--regid=" + NOBODY_UID,
                "--clear-groups")) {
            var status = Files.readString(Path.of("/proc/" + child.postmaster().pid() + "/status"));
            assertThat(status).containsPattern("Uid:\\s+" + NOBODY_UID);
        }
    }

    /** The jars are usually in root's home directory, which other users cannot read. */
    private String readableClassPath() throws IOException {
        var copies = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            var copy = directory.resolve("class-path-" + copies.size());
            copies.add(copy.toString());
            copy(Path.of(entry), copy);
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path source, Path target) throws IOException {
        if (!Files.exists(source)) {
            return;
        }
        try (var files = Files.walk(source)) {
            for (var file : files.toList()) {
                makeReadable(
                        Files.copy(file, target.resolve(source.relativize(file).toString())));
            }
        }
    }

    private static void makeReadable(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
