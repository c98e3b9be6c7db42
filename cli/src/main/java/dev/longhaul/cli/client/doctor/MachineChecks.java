package dev.longhaul.cli.client.doctor;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.process.supervise.ProcessUser;
import java.security.CodeSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Java, the program itself, and memory. */
final class MachineChecks {
    private static final int OLDEST_JAVA = 17;
    private static final long LEAST_HEAP = 256L << 20;

    private MachineChecks() {}

    /** With the user that jobs in processes are to run as, if it is not the worker's own. */
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
                "a compiler for building from a checkout",
                "only a runtime is installed: install a JDK to build");
        CodeSource source = MachineChecks.class.getProtectionDomain().getCodeSource();
        String from = source == null ? "" : source.getLocation().getPath();
        findings.prefer(
                from.endsWith(".jar"),
                "launcher",
                "runs from " + from,
                "these are classes, not the jar: ./longhaul builds and starts that");
        long heap = Runtime.getRuntime().maxMemory();
        findings.prefer(
                heap >= LEAST_HEAP,
                "memory",
                "the heap may grow to " + (heap >> 20) + " MiB",
                "a server wants " + (LEAST_HEAP >> 20) + " MiB or more: JAVA_TOOL_OPTIONS=-Xmx512m");
        processes(findings);
        user(findings, processUser);
    }

    /** What jobs in processes could read and signal: all that is their user's. */
    private static void user(Findings findings, @Nullable String name) {
        String subject = "process user";
        if (name != null) {
            try {
                findings.ok(
                        subject,
                        "jobs in processes run as " + ProcessUser.named(name)
                                + ", who can reach nothing of the worker's");
            } catch (LonghaulException e) {
                findings.fail(subject, e.getMessage(), "choose a user with --process-user, or none");
            }
            return;
        }
        findings.warn(
                subject,
                "jobs in processes run as the worker's own user, " + System.getProperty("user.name")
                        + ": they can read what it can, its environment and memory included, and end it",
                ProcessUser.isRoot()
                        ? "longhaul server --process-user NAME"
                        : "run the worker as root with --process-user NAME, or let it do only what every job may");
    }

    /** How jobs in processes of their own are kept within bounds here. */
    private static void processes(Findings findings) {
        Optional<String> impossible = Confinement.impossible();
        if (impossible.isPresent()) {
            findings.warn("processes", impossible.get(), "run workers with such jobs on Linux, a container will do");
            return;
        }
        try (var confinement = Confinement.best()) {
            findings.prefer(
                    confinement.complete(),
                    "processes",
                    String.join("; ", confinement.description()),
                    "run where a cgroup is writable and nothing else is in it, as in a systemd unit with Delegate=yes");
        }
    }
}
