package dev.longhaul.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.process.supervise.ProcessUser;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Isolated jobs of an application that is started with {@code java -jar}. */
@Tag("full")
class ExecutableJarTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    private Path directory;

    private Path temporary;

    @BeforeEach
    void createTemporary() throws IOException {
        temporary = Files.createDirectory(directory.resolve("tmp"));
    }

    private Process start(Path app, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(
                JAVA,
                "-Xmx128m",
                "-Djava.io.tmpdir=" + temporary,
                "-jar",
                app.getFileName().toString()));
        command.addAll(List.of(arguments));
        // The class path of the application is a relative one; its children run in other directories.
        return new ProcessBuilder(command)
                .directory(app.getParent().toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static String output(Process process) throws IOException, InterruptedException {
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    private void runsIsolatedJobs(Path app, String... arguments) throws Exception {
        assertThat(output(start(app, arguments)))
                .contains(arguments.length == 0 ? "user " : "user 65534 false false true\n")
                .containsPattern("it SUCCEEDED \\{\"sum\":3,\"pid\":\\d+}, logged adding 1, printed on stdout\n")
                .contains("out_of_memory: out of memory: Java heap full (64 MiB of the memory limit of 128 MiB)")
                .contains("out_of_memory: out of memory: killed, memory limit 128 MiB")
                .contains("it CANCELLED");
        assertThat(temporary).isEmptyDirectory();
    }

    @ParameterizedTest
    @EnumSource
    void runs_limits_and_cancels_them(Packaging packaging) throws Exception {
        runsIsolatedJobs(packaging.create(directory));
    }

    @Test
    void runs_limits_and_cancels_them_as_another_user() throws Exception {
        assumeTrue(ProcessUser.isRoot(), "only root can run jobs as another user: not tested");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        runsIsolatedJobs(Packaging.SPRING_BOOT_4.create(directory), "nobody");
    }

    @Test
    void runs_limits_and_cancels_them_after_its_jar_is_extracted() throws Exception {
        Path app = Packaging.SPRING_BOOT_4.create(directory);
        Path extracted = directory.resolve("extracted");
        output(new ProcessBuilder(
                        JAVA,
                        "-Djarmode=tools",
                        "-jar",
                        app.toString(),
                        "extract",
                        "--destination",
                        extracted.toString())
                .redirectErrorStream(true)
                .start());
        runsIsolatedJobs(extracted.resolve("app.jar"));
    }

    @Test
    void leaves_no_copies_of_its_jars_when_it_is_killed() throws Exception {
        Process app = start(Packaging.SPRING_BOOT_3.create(directory), ExecutableApp.WAIT);
        try {
            BufferedReader output = app.inputReader();
            String line = output.readLine();
            while (line != null && !line.startsWith("this is process ")) {
                line = output.readLine();
            }
            assertThat(line).isEqualTo("this is process " + app.pid());
            try (var copies = Files.find(
                    temporary, 3, (path, attributes) -> path.getParent().endsWith("jars"))) {
                assertThat(copies.map(copy -> copy.getFileName().toString()))
                        .contains("1-classes.jar")
                        .hasSizeGreaterThan(10);
            }
        } finally {
            app.destroyForcibly().waitFor();
        }
        long end = System.nanoTime() + PATIENCE;
        while (!removed(temporary)) {
            assertThat(System.nanoTime()).as("copies of jars").isLessThan(end);
            LockSupport.parkNanos(POLL_NANOS);
        }
        Files.createDirectory(temporary);
    }

    private static boolean removed(Path directory) throws IOException {
        try {
            return Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException e) {
            return false;
        }
    }
}
