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

/** The methods with which this machine limits and kills the processes of runs. They are detected once. */
public final class Confinement implements AutoCloseable {
    private final KillMethod killMethod;
    private final @Nullable Cgroups cgroups;
    private final ProcessUser user;

    private Confinement(KillMethod killMethod, @Nullable Cgroups cgroups, ProcessUser user) {
        this.killMethod = killMethod;
        this.cgroups = cgroups;
        this.user = user;
    }

    /**
     * Returns why this system cannot confine processes; empty if it can. Without /proc, the processes of a run cannot
     * be found.
     */
    public static Optional<String> impossible() {
        return impossible(Path.of("/proc"));
    }

    static Optional<String> impossible(Path proc) {
        return Files.exists(proc.resolve("self/stat"))
                ? Optional.empty()
                : Optional.of(
                        "process isolation requires Linux with /proc (this is " + System.getProperty("os.name") + ")");
    }

    /** Returns the most complete confinement that works on this machine. */
    public static Confinement best() {
        return best(ProcessUser.OWN);
    }

    /** Returns the most complete confinement that works on this machine for processes of the user. */
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

    /** Returns a confinement without cgroups. */
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

    /** Returns whether a program starts with this command prefix. */
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

    /** Rejects limits that cannot be enforced on this machine. */
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
                "isolation." + limit + ": " + value + " (expected: no limit on this machine; it requires " + needed
                        + "; run longhaul doctor for details)");
    }

    /** Returns whether every process of a run can be killed and the kernel enforces every limit. */
    public boolean complete() {
        return killMethod != KillMethod.WALK && countsMemory() && has(Cgroups.Use.PROCESSES) && has(Cgroups.Use.CPU);
    }

    /** Describes the confinement in one line per aspect, for the operator. */
    public List<String> description() {
        var lines = new ArrayList<String>();
        lines.add(
                switch (killMethod) {
                    case CGROUP_KILL -> "jobs are killed with cgroup.kill, including all their child processes";
                    case CGROUP_FREEZER ->
                        "jobs are killed with the cgroup freezer, including all their child processes";
                    case PID_NAMESPACE ->
                        "jobs are killed with their PID namespace, including all their child processes";
                    case WALK ->
                        "jobs are killed by walking /proc, which misses daemons outside their process tree and session";
                });
        lines.add(
                countsMemory()
                        ? "memory limits are enforced by the kernel"
                        : "memory is polled every 100 ms, so a job may exceed its limit briefly");
        lines.add(
                has(Cgroups.Use.PROCESSES)
                        ? "process count limits are available"
                        : "process count limits are unavailable");
        lines.add(has(Cgroups.Use.CPU) ? "CPU limits are available" : "CPU limits are unavailable");
        return lines;
    }

    @Override
    public void close() {
        if (cgroups != null) {
            cgroups.close();
        }
    }
}
