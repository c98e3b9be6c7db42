package dev.longhaul.process.sitter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SitterMainTest {
    @TempDir
    Path directory;

    /** A new version is often installed over the one that still runs. */
    @Test
    void does_its_work_when_the_files_it_was_started_from_are_gone() throws Exception {
        copyClasses();
        Process tree = new ProcessBuilder("setsid", "sleep", "600").start();
        Process sitter = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx16m",
                        "-cp",
                        directory.toString(),
                        SitterMain.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(sitter.inputReader().readLine()).isEqualTo("ready");
            TreeKiller.removeAll(directory);
            Path work = Files.createDirectories(directory.resolve("work"));
            var reported = new ProcessTree("one", KillMethod.WALK, String.valueOf(tree.pid()), List.of(), work);
            sitter.getOutputStream().write(("+ " + reported.text() + "\n").getBytes(StandardCharsets.UTF_8));
            sitter.getOutputStream().close();

            assertThat(tree.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(sitter.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(sitter.exitValue()).isZero();
            assertThat(work).doesNotExist();
        } finally {
            tree.destroyForcibly();
            sitter.destroyForcibly();
        }
    }

    private void copyClasses() throws Exception {
        Path classes = Path.of(SitterMain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path sub = Path.of("dev/longhaul/process/sitter");
        Files.createDirectories(directory.resolve(sub));
        try (Stream<Path> files = Files.list(classes.resolve(sub))) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(sub).resolve(file.getFileName()));
            }
        }
    }
}
