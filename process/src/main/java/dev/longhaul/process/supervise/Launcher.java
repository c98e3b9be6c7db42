package dev.longhaul.process.supervise;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Prefixes for commands that move a process into its cgroups, its own session and its user before the command runs. The
 * shell parses only the prefix; it gets the command as arguments.
 */
public final class Launcher {
    /** Exit code of the shell if it could not confine the process. */
    public static final int NOT_CONFINED = 125;

    /** Enters the cgroups. The first argument is the number of cgroups, the next ones are their files. */
    private static final String ENTER = "n=$1; shift; while [ \"$n\" -gt 0 ]; do echo $$ > \"$1\" || exit 125; shift;"
            + " n=$((n - 1)); done; exec \"$@\"";
    /**
     * Waits for a line on stdin, which is sent when the sitter watches this process. The input after that line belongs
     * to the command.
     */
    private static final String WAIT = "read -r go || exit 125; exec \"$@\"";
    /**
     * The first process of a PID namespace. It must survive signals and reap orphans, which the command itself may not
     * do. Its own stderr is discarded.
     */
    private static final String FIRST =
            "exec 3<&0 4>&2 2>/dev/null; \"$@\" <&3 3<&- 2>&4 4>&- & exec 3<&- 4>&-; wait \"$!\"";

    private Launcher() {}

    /** Returns the prefix that starts a new session; empty where setsid is not installed. */
    static List<String> ownSession() {
        return find("setsid").map(List::of).orElse(List.of());
    }

    static List<String> inCgroups(List<Path> groups, ProcessUser user) {
        // The owner of the pipes is changed before the process enters its cgroups: chown is a second process, which a
        // limit of one process would reject.
        var words = new ArrayList<>(user.givingPipes());
        words.addAll(List.of("/bin/sh", "-c", ENTER, "longhaul", String.valueOf(groups.size())));
        groups.forEach(group -> words.add(group.resolve("cgroup.procs").toString()));
        words.addAll(ownSession());
        words.addAll(user.becoming());
        return words;
    }

    /** Returns the prefix that waits for a line on stdin. */
    static List<String> whenKnown(ProcessUser user) {
        var words = new ArrayList<>(user.givingPipes());
        words.addAll(List.of("/bin/sh", "-c", WAIT, "longhaul"));
        words.addAll(ownSession());
        words.addAll(user.becoming());
        return words;
    }

    /**
     * Returns the prefix that enters the directory, reads variables from the file and executes the command. The shell
     * runs as the process user, so the directory must be one that this user may enter.
     */
    static List<String> withVariables(Path file, String directory) {
        return List.of(
                "/bin/sh",
                "-c",
                "cd -- \"$1\" || exit 125; unset OLDPWD; . \"$0\"; shift; exec \"$@\"",
                file.toString(),
                directory);
    }

    static Optional<List<String>> inPidNamespace() {
        return find("unshare")
                .map(unshare -> List.of(
                        unshare,
                        "--user",
                        "--map-current-user",
                        "--pid",
                        "--fork",
                        "--kill-child",
                        "--",
                        "/bin/sh",
                        "-c",
                        FIRST,
                        "longhaul"));
    }

    /** Finds a program in the system directories, ignoring PATH. */
    static Optional<String> find(String program) {
        for (String directory : List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin")) {
            Path path = Path.of(directory, program);
            if (Files.isExecutable(path)) {
                return Optional.of(path.toString());
            }
        }
        return Optional.empty();
    }
}
