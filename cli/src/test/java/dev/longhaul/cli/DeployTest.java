package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The deployment files: the launcher of the distribution and the systemd units. */
@Timeout(120)
class DeployTest {
    private static final Path DEPLOY = Path.of("..", "deploy");

    /** The command line accepts every argument in the units. */
    @Test
    void the_commands_of_the_units_are_accepted() throws IOException {
        for (String unit : List.of("longhaul.service", "longhaul-worker.service")) {
            String start = Files.readString(DEPLOY.resolve("systemd").resolve(unit))
                    .lines()
                    .filter(line -> line.startsWith("ExecStart="))
                    .findFirst()
                    .orElseThrow();
            String[] words = start.replaceFirst("ExecStart=\\S+ ", "").split(" ", -1);
            var nowhere = new PrintWriter(Writer.nullWriter());
            assertThatCode(() -> Main.commandLine(nowhere, nowhere).parseArgs(words))
                    .as(unit)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a POSIX shell script")
    void the_launcher_runs_from_wherever_it_was_unpacked(@TempDir Path directory) throws Exception {
        Path home = Files.createDirectories(directory.resolve("some where"));
        Files.createDirectories(home.resolve("lib"));
        Path script = Files.createDirectories(home.resolve("bin")).resolve("longhaul");
        Files.copy(Path.of("src", "tar", "bin", "longhaul"), script);
        script.toFile().setExecutable(true);
        Checkout.writeJar(home.resolve("lib").resolve("longhaul.jar"), StandIn.class);
        Path link = Files.createSymbolicLink(directory.resolve("linked"), script);

        var process = new ProcessBuilder(link.toString(), "one", "two words")
                .directory(directory.toFile())
                .redirectErrorStream(true);
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process started = process.start();
        assertThat(new String(started.getInputStream().readAllBytes(), UTF_8)).isEqualTo("<one>\n<two words>\n");
        assertThat(started.waitFor()).isZero();
    }
}
