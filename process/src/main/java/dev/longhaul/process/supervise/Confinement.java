package dev.longhaul.process.supervise;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.sitter.KillMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What this machine lets us do to the processes of a run, found out once. */
public final class Confinement implements AutoCloseable {
    private final KillMethod killMethod;
    private final @Nullable Cgroups cgroups;
    private final ProcessUser user;

    private Confinement(KillMethod killMethod, @Nullable Cgroups cgroups, ProcessUser user) {
        this.killMethod = killMethod;
        this.cgroups = cgroups;
        this.user = user;
    }

    /** Why no process can be kept within bounds on this system, if so: without /proc nobody knows which ones belong to a run. */
    public static Optional<String> impossible() {
        return impossible(Path.of("/proc"));
    }

    static Optional<String> impossible(Path proc) {
        return Files.exists(proc.resolve("self/stat"))
                ? Optional.empty()
                : Optional.of("jobs in processes of their own need Linux with its /proc (this is "
                        + System.getProperty("os.name") + ")");
    }

    /** The best that works here. */
    public static Confinement best() {
        return best(ProcessUser.OWN);
    }

    /** The best that works here for processes of that user. */
    public static Confinement best(ProcessUser user) {
        Cgroups cgroups = Cgroups.find().orElse(null);
        if (cgroups != null) {
            if (canBeEntered(cgroups, user)) {
                return new Confinement(cgroups.killMethod(), cgroups, user);
            }
            cgroups.close();
        }
        return of(namespaces(user) ? KillMethod.PID_NAMESPACE : KillMethod.WALK, user);
    }

    /** Without cgroups. */
    public static Confinement of(KillMethod killMethod, ProcessUser user) {
        return new Confinement(killMethod, null, user);
    }

    private static boolean canBeEntered(Cgroups cgroups, ProcessUser user) {
        try {
            Cgroups.Group group = cgroups.create("probe", ProcessLimits.NONE);
            try {
                return works(Launcher.inCgroups(group.all(), user));
            } finally {
                group.remove();
            }
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean namespaces(ProcessUser user) {
        Optional<List<String>> words = Launcher.inPidNamespace();
        if (words.isEmpty()) {
            return false;
        }
        var command = new ArrayList<>(user.becoming());
        command.addAll(words.get());
        return works(command);
    }

    /** Whether a program starts behind these words. */
    private static boolean works(List<String> words) {
        var command = new ArrayList<>(words);
        command.add("true");
        try {
            var builder = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().keySet().retainAll(Set.of("PATH"));
            Process process = builder.start();
            return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    KillMethod killMethod() {
        return killMethod;
    }

    public ProcessUser user() {
        return user;
    }

    @Nullable
    public Cgroups cgroups() {
        return cgroups;
    }

    private boolean has(Cgroups.Use use) {
        return cgroups != null && cgroups.has(use);
    }

    boolean countsMemory() {
        return has(Cgroups.Use.MEMORY);
    }

    /** Refuses limits that nobody here would hold a process to. */
    public void require(ProcessLimits limits) {
        if (limits.processes() != null && !has(Cgroups.Use.PROCESSES)) {
            throw impossible("processes", limits.processes(), "a writable cgroup with the pids controller");
        }
        if (limits.cpus() != null && !has(Cgroups.Use.CPU)) {
            throw impossible("cpu", limits.cpus(), "a writable cgroup with the cpu controller");
        }
    }

    private static LonghaulException impossible(String limit, Object value, String needed) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                "isolation." + limit + ": " + value + " (expected: none on this machine, for it would take " + needed
                        + "; longhaul doctor says what there is)");
    }

    /** Whether nothing can stay behind and every limit is the kernel's. */
    public boolean complete() {
        return killMethod != KillMethod.WALK && countsMemory() && has(Cgroups.Use.PROCESSES) && has(Cgroups.Use.CPU);
    }

    /** How it is done here, one line each, for people. */
    public List<String> description() {
        var lines = new ArrayList<String>();
        lines.add(
                switch (killMethod) {
                    case CGROUP_KILL -> "processes are ended by cgroup.kill: nothing of a run can stay behind";
                    case CGROUP_FREEZER ->
                        "processes are ended by the cgroup freezer: nothing of a run can stay behind";
                    case PID_NAMESPACE ->
                        "processes are ended with their PID namespace: nothing of a run can stay behind";
                    case WALK ->
                        "processes are ended by walking /proc: one that has left its family and its session stays behind";
                });
        lines.add(
                countsMemory()
                        ? "memory is limited by the kernel"
                        : "memory is looked at ten times a second: a fast hog may take more for a moment");
        lines.add(
                has(Cgroups.Use.PROCESSES)
                        ? "the number of processes can be limited"
                        : "the number of processes cannot be limited");
        lines.add(has(Cgroups.Use.CPU) ? "processor time can be limited" : "processor time cannot be limited");
        return lines;
    }

    @Override
    public void close() {
        if (cgroups != null) {
            cgroups.close();
        }
    }
}
