package dev.longhaul.process.supervise;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The few words before a command that put its process where it belongs before a line of it runs: into its cgroups, into a
 * session of its own, and under another user. The shell only sees these words; the command comes to it as arguments.
 */
public final class Launcher {
    /** What the shell exits with if it could not do its part. */
    public static final int NOT_CONFINED = 125;

    /** Enters the cgroups, whose number comes first. */
    private static final String ENTER = "n=$1; shift; while [ \"$n\" -gt 0 ]; do echo $$ > \"$1\" || exit 125; shift;"
            + " n=$((n - 1)); done; exec \"$@\"";
    /** Waits until somebody knows of this process and would end it; the rest of the input is the command's. */
    private static final String WAIT = "read -r go || exit 125; exec \"$@\"";
    /**
     * The first process of a namespace must outlive signals and collect orphans, which the command cannot be asked to. Nobody
     * hears what it says itself.
     */
    private static final String FIRST =
            "exec 3<&0 4>&2 2>/dev/null; \"$@\" <&3 3<&- 2>&4 4>&- & exec 3<&- 4>&-; wait \"$!\"";

    private Launcher() {}

    /** The words that give a command a session of its own; none where the system has no such program. */
    static List<String> ownSession() {
        return find("setsid").map(List::of).orElse(List.of());
    }

    static List<String> inCgroups(List<Path> groups, ProcessUser user) {
        // Giving away pipes takes a process more, which a limit of one process has no room for.
        var words = new ArrayList<>(user.givingPipes());
        words.addAll(List.of("/bin/sh", "-c", ENTER, "longhaul", String.valueOf(groups.size())));
        groups.forEach(group -> words.add(group.resolve("cgroup.procs").toString()));
        words.addAll(ownSession());
        words.addAll(user.becoming());
        return words;
    }

    /** Waits for a line on its input. */
    static List<String> whenKnown(ProcessUser user) {
        var words = new ArrayList<>(user.givingPipes());
        words.addAll(List.of("/bin/sh", "-c", WAIT, "longhaul"));
        words.addAll(ownSession());
        words.addAll(user.becoming());
        return words;
    }

    /**
     * Enters the directory and reads variables from the file, then becomes the command. The shell runs as the user of the
     * process, so a directory that only the worker's user may enter is refused.
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

    /** A program of the system. */
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
