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
 * The system user that jobs run as: the worker's own user, or another one that can neither read nor signal the worker.
 * Files for that user are in directories owned by the worker, so that processes of that user cannot replace them.
 */
public final class ProcessUser {
    /** The user of the worker. */
    public static final ProcessUser OWN = new ProcessUser("", 0, List.of());

    private static final Path SELF = Path.of("/proc/self");
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    /** A shell script that prints those arguments that are not readable files or searchable directories. */
    private static final String FIND_UNREADABLE =
            "for f; do { [ -r \"$f\" ] && { [ ! -d \"$f\" ] || [ -x \"$f\" ]; }; } || printf '%s\\n' \"$f\"; done";
    /**
     * A shell script that makes the user the owner of the command's pipes. Otherwise a command could write to its pipes
     * but not open /dev/stdout. It changes pipes only, because /dev/null is shared. It uses no redirection, because
     * some shells would apply it to their own process.
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

    /** Returns the user of that name. Fails if this process cannot switch to the user. */
    public static ProcessUser named(String name) {
        if (!isRoot()) {
            throw impossible(name, "no other user unless the worker is root; only root can switch users");
        }
        Optional<String> setpriv = Launcher.find("setpriv");
        if (setpriv.isEmpty()) {
            throw impossible(name, "setpriv to be installed; it is part of util-linux");
        }
        int uid = number("-u", name);
        int gid = number("-g", name);
        if (uid == 0) {
            throw impossible(name, "a user other than root");
        }
        var words =
                List.of(setpriv.get(), "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--no-new-privs", "--");
        var user = new ProcessUser(name, uid, words);
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        user.requireEntry(temporary);
        return user;
    }

    /** Returns whether this process runs as root. */
    public static boolean isRoot() {
        try {
            return Files.getAttribute(SELF, "unix:uid") instanceof Integer own && own == 0;
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
            throw impossible(name, "an existing user on this machine");
        }
        return Integer.parseInt(said.strip());
    }

    /** Runs a program and returns its output; null if it fails. */
    private static @Nullable String say(List<String> command) {
        try {
            var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
            // Cleared, because other processes of that user can read this environment.
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

    /**
     * Fails if the user cannot enter the directory. Tests it in a shell of that user, because permissions may depend on
     * more than mode bits.
     */
    private void requireEntry(Path directory) {
        var command = new ArrayList<>(drop);
        command.addAll(List.of("/bin/sh", "-c", "cd -- \"$0\" && echo in", directory.toString()));
        String said = say(command);
        if (said == null) {
            throw impossible(
                    name,
                    "a user that this process may switch to and that can enter " + directory + ", its java.io.tmpdir");
        }
    }

    /** Fails if the user cannot read one of the files. */
    public void requireReadable(List<String> files) {
        if (drop.isEmpty()) {
            return;
        }
        var command = new ArrayList<>(drop);
        command.addAll(List.of("/bin/sh", "-c", FIND_UNREADABLE, "longhaul"));
        command.addAll(files);
        String unreadable = say(command);
        if (unreadable == null) {
            throw impossible(name, "a user that this process may switch to");
        }
        if (!unreadable.isEmpty()) {
            throw impossible(
                    name,
                    "a user that can read the job classes; not readable: "
                            + String.join(", ", unreadable.strip().split("\n")));
        }
    }

    public boolean isOther() {
        return !drop.isEmpty();
    }

    /** Returns the command prefix that makes the user the owner of the command's pipes. */
    List<String> givingPipes() {
        return drop.isEmpty() ? List.of() : List.of("/bin/sh", "-c", OWN_PIPES, String.valueOf(uid));
    }

    /** Returns the command prefix that switches to the user; empty for the worker's own user. */
    List<String> becoming() {
        return drop;
    }

    /** Creates a private directory of the user. */
    Path createDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, OWNER_ONLY);
        give(directory);
        return directory;
    }

    /** Creates a directory owned by the worker that the user can traverse but not list. */
    Path createPassage(Path directory) throws IOException {
        Files.createDirectory(directory, OWNER_ONLY);
        openPassage(directory);
        return directory;
    }

    void openPassage(Path directory) throws IOException {
        if (isOther()) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        }
    }

    /** Writes a file that only the user can read. */
    public Path write(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
        give(file);
        return file;
    }

    /** Lets the user read a file of the worker. */
    void letRead(Path file) throws IOException {
        if (isOther()) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        }
    }

    /** Makes the user the owner of a file. */
    public void give(Path file) throws IOException {
        if (isOther()) {
            Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Moves a file that the user created into a directory of the worker, and makes it read-only for the user. */
    public boolean take(Path made, Path place) throws IOException {
        Files.move(made, place);
        // Checked after the move, because the user can no longer replace the file then.
        if (!Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)
                || !Integer.valueOf(1).equals(Files.getAttribute(place, "unix:nlink", LinkOption.NOFOLLOW_LINKS))) {
            Files.delete(place);
            return false;
        }
        if (isOther()) {
            Files.setAttribute(place, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
        }
        letRead(place);
        return true;
    }

    @Override
    public String toString() {
        return isOther() ? name : "the worker's own user";
    }
}
