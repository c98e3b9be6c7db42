package dev.longhaul.process;

import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.TreeKiller;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A shell that waits in a cgroup and a session of its own, and starts one command after the other there. What it starts is
 * confined from birth: nothing has to be moved or to be executed first, which takes longer than a short command itself.
 *
 * <p>It reads what to do from its input, where every word that is not ours is quoted. What the command prints comes on the
 * shell's own output, between two marks that nobody can guess.
 */
final class Shell {
    /** A command that takes more has the cost of a new shell to spare, and leaves pages that would be the next one's. */
    private static final long SMALL = 16 << 20;
    /** Nobody hears what the shell itself says; it outlives what is sent to the whole group. */
    private static final String BEGIN = "exec 4>&2 2>/dev/null; trap : HUP INT QUIT TERM\n";

    private static final String STARTED = "+";

    private final Process process;
    private final ProcessTree tree;
    private final Cgroups.Group group;
    private final ProcessLimits limits;
    private final Lifetime lifetime;
    private final CompletableFuture<Void> end;
    private volatile @Nullable ShellRun current;
    private int runs;

    Shell(Process process, ProcessTree tree, Cgroups.Group group, ProcessLimits limits, Lifetime lifetime)
            throws IOException {
        this.process = process;
        this.tree = tree;
        this.group = group;
        this.limits = limits;
        this.lifetime = lifetime;
        this.end = process.onExit().thenRun(this::endCurrent);
        say(BEGIN);
    }

    private void endCurrent() {
        ShellRun running = current;
        if (running != null) {
            running.shellEnded();
        }
    }

    ProcessLimits limits() {
        return limits;
    }

    ProcessTree tree() {
        return tree;
    }

    Cgroups.Group group() {
        return group;
    }

    /** Of the shell, which leads the group of all that it starts. */
    long pid() {
        return process.pid();
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /** A name for the next run's directory. */
    Path nextDirectory() {
        runs++;
        return tree.directory().resolve(String.valueOf(runs));
    }

    /** Where to put what the next run can read. */
    Path inputFile() {
        return tree.directory().resolve("stdin");
    }

    /** Starts a command that reads that file; null if this shell is gone, and then nothing has been started. */
    @Nullable
    ShellRun run(Launch launch, Path directory, Path stdin) throws IOException {
        String mark = UUID.randomUUID().toString();
        String script = script(launch, directory, stdin, mark);
        group.begin();
        var stdout = new MarkedStream(process.getInputStream(), mark);
        try {
            say(script);
            stdout.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            return null;
        }
        String said = stdout.said();
        if (said == null) {
            return null;
        }
        if (!said.startsWith(STARTED)) {
            throw new IOException("its directory cannot be entered");
        }
        stdout.goOn();
        long pid = Long.parseLong(said.substring(STARTED.length()));
        var run = new ShellRun(process, pid, stdout, new MarkedStream(process.getErrorStream(), mark));
        current = run;
        if (end.isDone()) {
            run.shellEnded();
        }
        return run;
    }

    /** The words run in a shell of their own, which becomes the command; the first of its numbers there is its own. */
    private static String script(Launch launch, Path directory, Path stdin, String mark) throws IOException {
        String wanted = launch.directory();
        var exports = Exports.of(Environment.of(launch, directory));
        var script = new StringBuilder("( exec 2>&4 4>&-; cd ")
                .append(Exports.quoted(wanted == null ? directory.toString() : wanted))
                .append(" || exit 125; read -r lh_pid lh_rest </proc/self/stat; echo ")
                .append(mark)
                .append(STARTED)
                .append("$lh_pid; unset OLDPWD; ")
                .append(exports.script())
                .append("; exec");
        for (String word : exports.before(launch.command())) {
            script.append(' ').append(Exports.quoted(word));
        }
        return script.append(" ) <")
                .append(Exports.quoted(stdin.toString()))
                .append("; echo ")
                .append(mark)
                .append("$?; echo ")
                .append(mark)
                .append(" >&4\n")
                .toString();
    }

    /** Whether nothing is left of what it has started, and it can start the next one. */
    boolean isAlone() {
        return process.isAlive() && TreeKiller.isAlone(tree, process.pid());
    }

    /** Whether what the last run printed has been read to its end. */
    boolean isHeard() {
        ShellRun last = current;
        return last != null && last.isHeard();
    }

    /** Whether a run with such a peak can have left nothing in its cgroup that the next one would be charged with. */
    static boolean leftLittle(@Nullable Long peakMemory) {
        return peakMemory == null || peakMemory < SMALL;
    }

    private void say(String text) throws IOException {
        var in = process.getOutputStream();
        in.write(text.getBytes(StandardCharsets.UTF_8));
        in.flush();
    }
}
