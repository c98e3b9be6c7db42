package dev.longhaul.cli.client.doctor;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.process.supervise.ProcessUser;
import java.security.CodeSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks Java, the launcher, memory, and process isolation. */
final class MachineChecks {
    private static final int OLDEST_JAVA = 17;
    private static final long LEAST_HEAP = 256L << 20;

    private MachineChecks() {}

    /** Runs the checks; {@code processUser} is null if jobs run as the worker's own user. */
    static void run(Findings findings, @Nullable String processUser) {
        Runtime.Version java = Runtime.version();
        findings.expect(
                java.feature() >= OLDEST_JAVA,
                "java",
                java + " at " + System.getProperty("java.home"),
                "install Java " + OLDEST_JAVA + " or newer and set JAVA_HOME");
        findings.prefer(
                ModuleLayer.boot().findModule("jdk.compiler").isPresent(),
                "jdk",
                "has a compiler, to build from a checkout",
                "only a runtime is installed; install a JDK to build");
        CodeSource source = MachineChecks.class.getProtectionDomain().getCodeSource();
        String from = source == null ? "" : source.getLocation().getPath();
        findings.prefer(
                from.endsWith(".jar"),
                "launcher",
                "runs from " + from,
                "not started from the jar; ./longhaul builds and starts it");
        long heap = Runtime.getRuntime().maxMemory();
        findings.prefer(
                heap >= LEAST_HEAP,
                "memory",
                "maximum heap " + (heap >> 20) + " MiB",
                "a server needs at least " + (LEAST_HEAP >> 20) + " MiB; set JAVA_TOOL_OPTIONS=-Xmx512m");
        processes(findings);
        user(findings, processUser);
    }

    /**
     * Checks the user that jobs with process isolation run as: such jobs can read and signal everything of that user.
     */
    private static void user(Findings findings, @Nullable String name) {
        String subject = "process user";
        if (name != null) {
            try {
                findings.ok(
                        subject,
                        "jobs with process isolation run as " + ProcessUser.named(name)
                                + ", without access to the worker");
            } catch (LonghaulException e) {
                findings.fail(subject, e.getMessage(), "set another user with --process-user, or none");
            }
            return;
        }
        findings.warn(
                subject,
                "jobs with process isolation run as the worker's own user, " + System.getProperty("user.name")
                        + ": they can read its files, environment and memory, and kill it",
                ProcessUser.isRoot()
                        ? "longhaul server --process-user NAME"
                        : "run the worker as root with --process-user NAME, or as a user with few permissions");
    }

    /** Checks how processes of jobs are confined on this machine. */
    private static void processes(Findings findings) {
        Optional<String> impossible = Confinement.impossible();
        if (impossible.isPresent()) {
            findings.warn("processes", impossible.get(), "run workers with such jobs on Linux, or in a container");
            return;
        }
        try (var confinement = Confinement.best()) {
            findings.prefer(
                    confinement.complete(),
                    "processes",
                    String.join("; ", confinement.description()),
                    "run in a writable cgroup without other processes, e.g. a systemd unit with Delegate=yes");
        }
    }
}
