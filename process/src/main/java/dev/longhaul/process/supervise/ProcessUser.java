package dev.longhaul.process.supervise;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whose processes those of jobs are: the worker's own user, or another one that can neither read nor signal the worker. What is
 * that user's lies in directories of the worker's, so that none of its processes can put something else in its place.
 */
public final class ProcessUser {
    /** The worker's own. */
    public static final ProcessUser OWN = new ProcessUser("", 0, List.of());

    private static final Path OURSELVES = Path.of("/proc/self");
    private static final FileAttribute<Set<PosixFilePermission>> OURS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    /** Prints those of its arguments that it cannot read, or, if they are directories, not look into. */
    private static final String FIND_UNREADABLE =
            "for f; do { [ -r \"$f\" ] && { [ ! -d \"$f\" ] || [ -x \"$f\" ]; }; } || printf '%s\\n' \"$f\"; done";
    /**
     * Without it /dev/stdout and the like could be written to, but not opened. Pipes only, and no
     * redirection, which some shells do in their own process: /dev/null is everybody's.
     */
    private static final String OWN_PIPES =
            "p=; for n in 0 1 2; do [ -p /proc/$$/fd/$n ] && p=\"$p /proc/$$/fd/$n\"; done;"
                    + " [ -z \"$p\" ] || /bin/chown \"$0\" $p; exec \"$@\"";

    private final String name;
    private final int uid;
    private final List<String> drop;

    private ProcessUser(String name, int uid, List<String> drop) {
        this.name = name;
        this.uid = uid;
        this.drop = List.copyOf(drop);
    }

    /** The user of that name; refused if this process cannot become that user. */
    public static ProcessUser named(String name) {
        if (!isRoot()) {
            throw impossible(name, "none unless the worker is root, who alone can become another user");
        }
        Optional<String> setpriv = Launcher.find("setpriv");
        if (setpriv.isEmpty()) {
            throw impossible(name, "none where there is no setpriv, a program of util-linux");
        }
        int uid = number("-u", name);
        int gid = number("-g", name);
        if (uid == 0) {
            throw impossible(name, "another user than root");
        }
        var words =
                List.of(setpriv.get(), "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--no-new-privs", "--");
        var user = new ProcessUser(name, uid, words);
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        user.requireEntry(temporary);
        return user;
    }

    /** Whether this process may become any user. */
    public static boolean isRoot() {
        try {
            return Files.getAttribute(OURSELVES, "unix:uid") instanceof Integer own && own == 0;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static LonghaulException impossible(String name, String expected) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION, "processUser: " + name + " (expected: " + expected + ")");
    }

    private static int number(String option, String name) {
        String said = name.isBlank() ? null : say(List.of(Launcher.find("id").orElse("id"), option, "--", name));
        if (said == null || !said.matches("\\d{1,9}\n")) {
            throw impossible(name, "a user of this machine");
        }
        return Integer.parseInt(said.strip());
    }

    /** What a program prints; null if it fails. */
    private static @Nullable String say(List<String> command) {
        try {
            var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
            // What runs as the other user, other processes of that user can look into.
            builder.environment().clear();
            Process process = builder.start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? said : null;
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** A shell of that user's tries it: it alone knows all the rules. */
    private void requireEntry(Path directory) {
        var command = new ArrayList<>(drop);
        command.addAll(List.of("/bin/sh", "-c", "cd -- \"$0\" && echo in", directory.toString()));
        String said = say(command);
        if (said == null) {
            throw impossible(
                    name,
                    "a user that this process may become and that can enter " + directory + ", its java.io.tmpdir");
        }
    }

    /** Refuses to start code for that user that it cannot read. */
    public void requireReadable(List<String> files) {
        if (drop.isEmpty()) {
            return;
        }
        var command = new ArrayList<>(drop);
        command.addAll(List.of("/bin/sh", "-c", FIND_UNREADABLE, "longhaul"));
        command.addAll(files);
        String unreadable = say(command);
        if (unreadable == null) {
            throw impossible(name, "a user that this process may become");
        }
        if (!unreadable.isEmpty()) {
            throw impossible(
                    name,
                    "a user that can read the classes that its processes run, which are in "
                            + String.join(", ", unreadable.strip().split("\n")));
        }
    }

    public boolean isOther() {
        return !drop.isEmpty();
    }

    /** The words before a command that give its pipes to that user. */
    List<String> givingPipes() {
        return drop.isEmpty() ? List.of() : List.of("/bin/sh", "-c", OWN_PIPES, String.valueOf(uid));
    }

    /** The words before a command that make it that user's; none if it is anyway. */
    List<String> becoming() {
        return drop;
    }

    /** Makes a directory that is that user's and nobody else's. */
    Path createDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, OURS_ALONE);
        give(directory);
        return directory;
    }

    /** Makes a directory of the worker's in which that user can reach what it knows the name of. */
    Path createPassage(Path directory) throws IOException {
        Files.createDirectory(directory, OURS_ALONE);
        openPassage(directory);
        return directory;
    }

    void openPassage(Path directory) throws IOException {
        if (isOther()) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        }
    }

    /** Writes a file that only that user can read. */
    public Path write(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
        give(file);
        return file;
    }

    /** Makes a file that user's. */
    public void give(Path file) throws IOException {
        if (isOther()) {
            Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Puts what that user has made into a directory of the worker's, from where the user can read it and no more. */
    public boolean take(Path made, Path place) throws IOException {
        Files.move(made, place);
        // What it is can be changed by nobody now.
        if (!Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)
                || !Integer.valueOf(1).equals(Files.getAttribute(place, "unix:nlink", LinkOption.NOFOLLOW_LINKS))) {
            Files.delete(place);
            return false;
        }
        if (isOther()) {
            Files.setAttribute(place, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
            Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rw-r--r--"));
        }
        return true;
    }

    @Override
    public String toString() {
        return isOther() ? name : "the worker's own user";
    }
}
