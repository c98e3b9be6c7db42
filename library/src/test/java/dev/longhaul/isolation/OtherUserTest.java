package dev.longhaul.isolation;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.Longhaul;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.command.Commands;
import dev.longhaul.process.supervise.ProcessUser;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that run as another user than their worker. */
class OtherUserTest {
    private final Path directory = newDirectory();

    private static Path newDirectory() {
        try {
            // Readable by other users, unlike the usual temporary directories of tests.
            Path directory = Files.createTempDirectory("longhaul-other-");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            return directory;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void remove() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** The class path of this process, copied to where every user can read it. */
    private String readableClassPath() throws IOException {
        var entries = new ArrayList<String>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path source = Path.of(entry);
            Path target = directory.resolve(entries.size() + "-" + source.getFileName());
            if (Files.exists(source)) {
                copy(source, target);
                entries.add(target.toString());
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> all = Files.walk(source)) {
            for (Path path : all.toList()) {
                Path copy = target.resolve(source.relativize(path).toString());
                Files.copy(path, copy);
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }

    @Test
    void can_neither_read_the_worker_nor_its_files() throws Exception {
        assumeTrue(ProcessUser.isRoot(), "only root can run jobs as another user: not tested");
        Process worker = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        readableClassPath(),
                        WorkerOfAnother.class.getName())
                .redirectErrorStream(true)
                .start();
        try {
            String said = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(said).endsWith("java: 65534 false false true\ncommand: 65534 false\nleft: []\n");
        } finally {
            worker.destroyForcibly().waitFor();
        }
    }

    @Test
    void is_rejected_where_it_is_impossible() {
        assertThatThrownBy(() ->
                        Longhaul.builder().memory().processUser("no-such-user").start())
                .isInstanceOf(LonghaulException.class)
                .hasMessageStartingWith("processUser: no-such-user (expected: ");
    }

    /** The worker of that test. */
    static final class WorkerOfAnother {
        private WorkerOfAnother() {}

        public static void main(String[] arguments) throws IOException {
            long pid = ProcessHandle.current().pid();
            Path home;
            try (Longhaul longhaul = Longhaul.builder()
                    .memory()
                    .logFailures(false)
                    .register(ChildJobs.WHO, Commands.any())
                    .processUser("nobody")
                    .start()) {
                System.out.println("java: " + longhaul.now(ChildJobs.WHO, pid).data());
                var jobs = new Isolated(longhaul);
                var id = longhaul.jobs()
                        .enqueue(
                                "command",
                                null,
                                "{\"argv\":[\"sh\",\"-c\",\"id -u; pwd; cat /proc/" + pid + "/environ 2>/dev/null\"]}",
                                options().maxAttempts(1))
                        .id();
                jobs.ended(id);
                List<String> lines = jobs.output(id).lines().toList();
                home = Path.of(lines.get(1)).getParent();
                System.out.println(
                        "command: " + lines.get(0) + " " + jobs.output(id).contains("PATH="));
            }
            System.out.println("left: " + (Files.exists(home) ? List.of(home) : List.of()));
            Runtime.getRuntime().halt(0);
        }
    }
}
