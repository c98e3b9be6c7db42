package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the commands of every {@code console} block in README.md and docs/ in a shell, against one {@code longhaul dev} with the
 * jobs of {@code examples/hello-jobs}, and compares what they print ({@link DocOutput}). The exit code of every command must be
 * 0. Each page has its own shell. The variables that a page sets are gone on the next page; jobs, schedules and queues are not.
 */
@Timeout(900)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the commands are for a POSIX shell")
class DocsTest {
    private static final Set<String> FIRST = Set.of("README.md", "docs/start/server.md");
    private static final Path HELLO = DocPage.ROOT.resolve("examples/hello-jobs");

    @TempDir
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static LonghaulProcess dev;

    @BeforeAll
    static void startDev() throws IOException {
        dev = LonghaulProcess.start(
                        directory,
                        "dev",
                        "--port=0",
                        "--http-networks=127.0.0.1/32",
                        "--jobs",
                        compiledHelloJobs().toString())
                .awaitReady();
        Path script = directory.resolve("longhaul");
        Files.writeString(script, """
                        #!/bin/sh
                        exec '%s' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s' %s "$@"
                        """.formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"),
                        System.getProperty("java.class.path"),
                        Main.class.getName()));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterAll
    static void stopDev() {
        dev.close();
    }

    /** What a new user reads first. */
    static List<DocPage> firstPages() throws IOException {
        return pages(true);
    }

    static List<DocPage> otherPages() throws IOException {
        return pages(false);
    }

    private static List<DocPage> pages(boolean first) throws IOException {
        return DocPage.all().stream()
                .filter(page -> !page.blocks("console").isEmpty())
                .filter(page -> first == FIRST.contains(page.toString()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("firstPages")
    void every_command_of_the_first_pages_prints_what_the_page_says(DocPage page) throws IOException {
        run(page);
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("otherPages")
    void every_command_prints_what_the_page_says(DocPage page) throws IOException {
        run(page);
    }

    private static void run(DocPage page) throws IOException {
        var wrong = new ArrayList<String>();
        try (var shell = new Shell()) {
            for (DocPage.Block block : page.blocks("console")) {
                for (DocPage.Command command : block.commands()) {
                    String printed = shell.run(command.text().replace("http://127.0.0.1:8080", dev.url()));
                    if (shell.exitCode != 0 || !DocOutput.matches(command.output(), printed)) {
                        wrong.add("%s:%d: %s%nexit code %d, printed:%n%s"
                                .formatted(page, command.line(), command.text(), shell.exitCode, printed));
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** Compiles the project without Maven, which would need Longhaul in its repository. */
    private static Path compiledHelloJobs() throws IOException {
        Path classes = directory.resolve("classes");
        UserJobs.compile(classes, List.of(HELLO.resolve("src/main/java/hello/HelloJobs.java")));
        Path resources = HELLO.resolve("src/main/resources");
        try (Stream<Path> tree = Files.walk(resources)) {
            for (Path file : tree.filter(Files::isRegularFile).toList()) {
                Path target = classes.resolve(resources.relativize(file).toString());
                Files.createDirectories(target.resolveSibling("."));
                Files.copy(file, target);
            }
        }
        return classes;
    }

    /** One shell for the commands of a page, because a command uses variables that an earlier one has set. */
    private static final class Shell implements AutoCloseable {
        private static final String END = "--- end of the output, exit code ";
        private final Process process;
        private int exitCode;

        Shell() throws IOException {
            var builder = new ProcessBuilder("sh").directory(directory.toFile()).redirectErrorStream(true);
            Map<String, String> environment = builder.environment();
            environment.keySet().removeIf(name -> name.startsWith("LONGHAUL_"));
            environment.put("LONGHAUL_URL", dev.url());
            environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
            environment.merge("PATH", directory.toString(), (path, added) -> added + ":" + path);
            process = builder.start();
        }

        String run(String command) throws IOException {
            var in = process.outputWriter(UTF_8);
            in.write(command + "\nprintf '\\n%s%s\\n' '" + END + "' \"$?\"\n");
            in.flush();
            var printed = new StringBuilder();
            var out = process.inputReader(UTF_8);
            for (String line = out.readLine(); ; line = out.readLine()) {
                if (line == null) {
                    throw new IOException("the shell has ended:\n" + printed);
                }
                if (line.startsWith(END)) {
                    exitCode = Integer.parseInt(line.substring(END.length()));
                    return printed.toString();
                }
                printed.append(line).append('\n');
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
