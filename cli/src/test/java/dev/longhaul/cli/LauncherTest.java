package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts the real launcher as a process, in a directory that resembles a checkout. */
@Timeout(60)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a POSIX shell script")
class LauncherTest {
    /** A fake Maven that records its start, waits for the test, and creates a jar. */
    private static final String SLOW_MAVEN = """
        echo started >>maven.log
        until [ -e go ]; do sleep 0.05; done
        mkdir -p core/target/dev cli/target/dev
        cp prepared.jar cli/target/dev/longhaul.jar
        """;

    private static final String QUICK_MAVEN = """
        echo "$@" >>maven.log
        mkdir -p core/target/dev cli/target/dev
        cp prepared.jar cli/target/dev/longhaul.jar
        """;

    @TempDir
    Path directory;

    private Checkout checkout;

    @BeforeEach
    void prepare() throws IOException {
        checkout = new Checkout(directory);
        Checkout.writeJar(checkout.home().resolve("prepared.jar"), StandIn.class);
    }

    record Ended(int exitCode, String out, String err) {}

    @Nested
    class Benchmarks {
        private static final String MAVEN = """
            echo started >>maven.log
            mkdir -p cli/target/dev benchmarks/target/dev
            cp prepared.jar cli/target/dev/longhaul.jar
            cp prepared.jar benchmarks/target/dev/longhaul-benchmarks.jar
            """;

        @Test
        void are_built_when_missing_and_started_from_a_jar_of_their_own() throws Exception {
            checkout.withJar(StandIn.class).withJava().withMaven(MAVEN);
            for (int i = 0; i < 2; i++) {
                var ended = run(Map.of(), "bench", "no-such-benchmark");
                assertThat(ended.exitCode).as(ended.err).isEqualTo(2);
                assertThat(ended.err).contains("no-such-benchmark", "longhaul bench engine");
            }
            assertThat(checkout.home().resolve("maven.log")).hasContent("started");
        }
    }

    @Nested
    class Java {
        @Test
        void missing_is_one_line() throws Exception {
            checkout.withJar(StandIn.class);
            var ended = run();
            assertThat(ended.exitCode).isEqualTo(1);
            assertThat(ended.err).hasLineCount(1).contains("Java 17 or newer is needed");
        }

        @Test
        void too_old_is_one_line_that_names_it() throws Exception {
            checkout.withJar(StandIn.class);
            var old = fakeJava("openjdk version \"11.0.21\" 2023-10-17");
            var ended = run(Map.of("JAVA_HOME", old.toString()));
            assertThat(ended.exitCode).isEqualTo(1);
            assertThat(ended.err).hasLineCount(1).contains("Java 17 or newer", old + "/bin/java is 11");
        }

        @Test
        void with_the_old_numbering_is_too_old() throws Exception {
            checkout.withJar(StandIn.class);
            var old = fakeJava("java version \"1.8.0_392\"");
            assertThat(run(Map.of("JAVA_HOME", old.toString())).exitCode).isEqualTo(1);
        }

        @Test
        void on_the_path_is_taken_when_that_of_JAVA_HOME_is_too_old_or_gone() throws Exception {
            checkout.withJar(StandIn.class).withJava();
            var old = fakeJava("openjdk version \"11.0.21\" 2023-10-17");
            assertThat(run(Map.of("JAVA_HOME", old.toString()), "a").out).isEqualTo("<a>\n");
            assertThat(run(Map.of("JAVA_HOME", "/no/such/java"), "a").out).isEqualTo("<a>\n");
        }

        @Test
        void of_JAVA_HOME_is_enough() throws Exception {
            checkout.withJar(StandIn.class);
            assertThat(run(Map.of("JAVA_HOME", System.getProperty("java.home")), "a").out)
                    .isEqualTo("<a>\n");
        }

        private Path fakeJava(String versionLine) throws IOException {
            var home = directory.resolve("old java");
            Checkout.writeScript(home.resolve("bin/java"), "echo '" + versionLine + "' >&2\n");
            return home;
        }
    }

    @Nested
    class Program {
        @BeforeEach
        void everything_is_there() throws IOException {
            checkout.withJar(StandIn.class).withJava();
        }

        @Test
        void prints_its_help_in_any_directory() throws Exception {
            checkout.withJar(Main.class);
            var ended = run("--help");
            assertThat(ended.exitCode).isZero();
            assertThat(ended.out).contains("Usage: longhaul");
            assertThat(ended.err).isEmpty();
        }

        @Test
        void gets_its_arguments_unchanged() throws Exception {
            assertThat(run("two words", "", "*", "$HOME", "-x").out).isEqualTo("<two words>\n<>\n<*>\n<$HOME>\n<-x>\n");
        }

        @Test
        void is_found_through_symbolic_links() throws Exception {
            var absolute = Files.createSymbolicLink(directory.resolve("absolute"), checkout.launcher());
            var far = Files.createDirectories(directory.resolve("far/away"));
            var relative = Files.createSymbolicLink(far.resolve("relative"), Path.of("../../absolute"));
            assertThat(end(checkout.start(relative, Map.of(), "a")).out).isEqualTo("<a>\n");
            assertThat(absolute).isSymbolicLink();
        }

        @Test
        void gets_the_signal() throws Exception {
            var process = checkout.start(checkout.launcher(), Map.of(), "wait");
            assertThat(process.inputReader().readLine()).isEqualTo("ready");
            process.toHandle().destroy();
            assertThat(process.inputReader().readLine()).isEqualTo("stopped in order");
            assertThat(process.waitFor()).isEqualTo(128 + 15);
        }
    }

    @Nested
    class ClassArchive {
        @BeforeEach
        void everything_is_there() throws IOException {
            checkout.withJar(StandIn.class).withJava();
            Checkout.writeStandInJar(checkout.jar());
        }

        @Test
        void is_written_by_the_first_command_and_taken_by_the_next() throws Exception {
            assertThat(run("a")).isEqualTo(new Ended(0, "<a>\n", ""));
            assertThat(checkout.archive("client")).isNotEmptyFile();
            assertThat(run("b")).isEqualTo(new Ended(0, "<b>\n", ""));
            assertThat(checkout.home().resolve("cli/target/dev").toFile().list())
                    .containsExactlyInAnyOrder(
                            "longhaul.jar",
                            checkout.archive("client").getFileName().toString());
        }

        @Test
        void of_a_server_that_still_runs_is_not_taken() throws Exception {
            Path archive = checkout.archive("server");
            Path unfinished = archive.resolveSibling(
                    archive.getFileName() + "." + ProcessHandle.current().pid());
            Files.writeString(unfinished, "half of it");
            assertThat(run("dev").out).isEqualTo("<dev>\n");
            assertThat(unfinished).hasContent("half of it");
            assertThat(archive).doesNotExist();
            run("dev");
            assertThat(archive).isNotEmptyFile();
        }

        @Test
        void that_is_damaged_is_ignored() throws Exception {
            Files.writeString(checkout.archive("client"), "nonsense");
            assertThat(run("a")).isEqualTo(new Ended(0, "<a>\n", ""));
        }
    }

    /** The launcher of the distribution. */
    @Nested
    class Distribution {
        @Test
        void starts_the_jar_and_creates_the_archive_of_client_commands_once() throws Exception {
            checkout.withJava();
            Path home = directory.resolve("longhaul-0.1.0");
            Path launcher = Files.createDirectories(home.resolve("bin")).resolve("longhaul");
            Files.copy(Path.of("src", "tar", "bin", "longhaul"), launcher);
            Checkout.writeStandInJar(home.resolve("lib/longhaul.jar"));
            Path archive = home.resolve("lib/client-" + System.getProperty("java.version") + ".jsa");
            assertThat(end(checkout.start(launcher, Map.of(), "two words", "*")))
                    .isEqualTo(new Ended(0, "<two words>\n<*>\n", ""));
            assertThat(archive).isNotEmptyFile();
            var written = Files.getLastModifiedTime(archive);
            assertThat(end(checkout.start(launcher, Map.of(), "a"))).isEqualTo(new Ended(0, "<a>\n", ""));
            assertThat(Files.getLastModifiedTime(archive)).isEqualTo(written);
            var options = Map.of("LONGHAUL_JAVA_OPTIONS", "-XX:+UseG1GC");
            assertThat(end(checkout.start(launcher, options, "a"))).isEqualTo(new Ended(0, "<a>\n", ""));
            Files.delete(archive);
            Files.writeString(archive, "nonsense");
            assertThat(end(checkout.start(launcher, Map.of(), "a"))).isEqualTo(new Ended(0, "<a>\n", ""));
        }

        @Test
        void warms_up_with_commands_that_succeed() {
            ServerFixture.execute("warm-up").exitsWith(0);
        }
    }

    @Nested
    class Build {
        @BeforeEach
        void java_is_there() throws IOException {
            checkout.withJava();
        }

        @Test
        void is_done_when_there_is_no_jar_and_reported_on_stderr_only() throws Exception {
            checkout.withMaven("""
                echo '700 [INFO] Building Longhaul: in-memory store 0.1.0-SNAPSHOT        [2/13]'
                echo noise
                """ + QUICK_MAVEN);
            var ended = run("a");
            assertThat(ended.out).isEqualTo("<a>\n");
            assertThat(ended.err)
                    .contains("longhaul: building", "missing", "longhaul: building part 2 of 13: in-memory store\n")
                    .doesNotContain("noise");
            assertThat(mavenLog()).contains("-pl cli -am package -Ddev");
            assertThat(checkout.lock()).doesNotExist();
        }

        @Test
        void reports_its_downloads_and_the_time_that_they_took() throws Exception {
            checkout.withMaven("""
                echo '1000 [INFO] Downloading from central: https://example.org/a.jar'
                echo '2000 [INFO] Downloading from central: https://example.org/b.jar'
                echo '5000 [INFO] Downloaded from central: https://example.org/b.jar (1.5 MB at 500 kB/s)'
                echo '9000 [INFO] Downloaded from central: https://example.org/a.jar (15 MB at 2.0 MB/s)'
                echo '9500 [INFO] Downloading from central: https://example.org/c.pom'
                echo '11500 [INFO] Downloaded from central: https://example.org/c.pom (16 kB at 12 kB/s)'
                echo '15000 [INFO] BUILD SUCCESS'
                """ + QUICK_MAVEN);
            assertThat(run("a").err)
                    .contains(
                            "longhaul: downloaded 16 MB\n",
                            "longhaul: built in 15 s, 10 s of them waiting for downloads (16 MB)\n");
        }

        @Test
        void shows_its_progress_at_once_on_a_pipe_too() throws Exception {
            checkout.withMaven("echo '1 [INFO] Building Longhaul: core 0.1.0-SNAPSHOT   [2/13]'\n" + SLOW_MAVEN);
            var process = checkout.start(checkout.launcher(), Map.of(), "a");
            var err = process.errorReader();
            assertThat(err.readLine()).contains("longhaul: building");
            assertThat(err.readLine()).isEqualTo("longhaul: building part 2 of 13: core");
            letMavenContinue();
            assertThat(end(process).out).isEqualTo("<a>\n");
        }

        @Test
        void prints_no_escape_codes() throws Exception {
            checkout.withMaven("printf '\\033[0m\\n' >&2; printf '\\033[0m\\n'\n" + QUICK_MAVEN);
            assertThat(run("a").err).doesNotContain("\u001b");
        }

        @Test
        void uses_the_wrapper_where_maven_is_not_installed() throws Exception {
            checkout.withMavenWrapper(QUICK_MAVEN);
            assertThat(run("a").out).isEqualTo("<a>\n");
            assertThat(mavenLog()).hasLineCount(1);
        }

        @ParameterizedTest
        @ValueSource(strings = {"dev", "server", "worker"})
        void is_done_again_for_a_server_when_a_source_is_newer_and_not_otherwise(String command) throws Exception {
            checkout.withMaven(QUICK_MAVEN);
            run(command);
            run(command);
            assertThat(mavenLog()).hasLineCount(1);
            checkout.touch(checkout.source());
            assertThat(run(command).err).contains("older than the sources");
            assertThat(mavenLog()).hasLineCount(2);
        }

        @Test
        void is_not_done_again_for_a_client_command_which_says_so() throws Exception {
            checkout.withMaven(QUICK_MAVEN);
            run("list");
            checkout.touch(checkout.source());
            var ended = run("list");
            assertThat(ended.out).isEqualTo("<list>\n");
            assertThat(ended.err).hasLineCount(1).contains("older than the sources", "./longhaul dev");
            assertThat(mavenLog()).hasLineCount(1);
        }

        @Test
        void ignores_modules_that_are_not_in_the_jar() throws Exception {
            checkout.withMaven(QUICK_MAVEN);
            run("dev");
            Path example = checkout.home().resolve("examples/src/main/java/Example.java");
            Files.createDirectories(example.getParent());
            checkout.touch(Files.writeString(example, "class Example {}"));
            run("dev");
            assertThat(mavenLog()).hasLineCount(1);
        }

        @Test
        void is_done_again_when_a_source_was_removed() throws Exception {
            checkout.withMaven(QUICK_MAVEN);
            run("dev");
            Files.delete(checkout.source());
            run("dev");
            assertThat(mavenLog()).hasLineCount(2);
        }

        @Test
        void detects_changes_made_while_it_ran() throws Exception {
            // File times have a resolution of a few milliseconds.
            var change = """
                source=core/src/main/java/Source.java
                until [ $source -nt cli/target/launcher.lock.started ]; do echo changed >$source; done
                """;
            checkout.withMaven(change + QUICK_MAVEN);
            run("dev");
            run("dev");
            assertThat(mavenLog()).hasLineCount(2);
        }

        @Test
        void without_maven_is_one_line() throws Exception {
            var ended = run();
            assertThat(ended.exitCode).isEqualTo(1);
            assertThat(ended.err).hasLineCount(1).contains("Maven is needed");
            assertThat(checkout.lock()).doesNotExist();
        }

        @Test
        void that_fails_starts_nothing() throws Exception {
            checkout.withMaven("echo '[ERROR] does not compile'; echo 'nor this' >&2; exit 1\n");
            var ended = run();
            assertThat(ended.exitCode).isEqualTo(1);
            assertThat(ended.out).isEmpty();
            assertThat(ended.err)
                    .containsSubsequence("does not compile", "longhaul: the build failed")
                    .contains("nor this");
            assertThat(checkout.lock()).doesNotExist();
        }

        @Test
        void runs_in_one_launcher_while_the_others_wait() throws Exception {
            checkout.withMaven(SLOW_MAVEN);
            var first = checkout.start(checkout.launcher(), Map.of(), "first");
            assertThat(first.errorReader().readLine()).contains("building");
            var second = checkout.start(checkout.launcher(), Map.of(), "second");
            assertThat(second.errorReader().readLine()).contains("waiting for the build of process " + first.pid());
            letMavenContinue();
            assertThat(end(first).out).isEqualTo("<first>\n");
            assertThat(end(second).out).isEqualTo("<second>\n");
            assertThat(mavenLog()).hasLineCount(1);
        }

        @Test
        void works_after_a_launcher_was_killed_during_a_build() throws Exception {
            checkout.withMaven(QUICK_MAVEN);
            Files.createDirectories(checkout.lock().getParent());
            var dead = new ProcessBuilder("true").start();
            dead.waitFor();
            Files.createSymbolicLink(checkout.lock(), Path.of(Long.toString(dead.pid())));
            assertThat(run("a").out).isEqualTo("<a>\n");
            assertThat(Files.exists(checkout.lock(), LinkOption.NOFOLLOW_LINKS)).isFalse();
        }

        @Test
        void ends_with_the_launcher() throws Exception {
            checkout.withMaven("echo \"[ERROR] $$\"\nexec sleep 600\n");
            var process = checkout.start(checkout.launcher(), Map.of());
            var err = process.errorReader();
            assertThat(err.readLine()).contains("building");
            var maven = ProcessHandle.of(Long.parseLong(err.readLine().substring("[ERROR] ".length())))
                    .orElseThrow();
            process.toHandle().destroy();
            assertThat(process.waitFor()).isEqualTo(128 + 15);
            assertThat(maven.isAlive()).isFalse();
            assertThat(Files.exists(checkout.lock(), LinkOption.NOFOLLOW_LINKS)).isFalse();
        }

        private String mavenLog() throws IOException {
            return Files.readString(checkout.home().resolve("maven.log"));
        }

        private void letMavenContinue() throws IOException {
            Files.createFile(checkout.home().resolve("go"));
        }
    }

    private Ended run(String... arguments) throws Exception {
        return run(Map.of(), arguments);
    }

    private Ended run(Map<String, String> environment, String... arguments) throws Exception {
        return end(checkout.start(checkout.launcher(), environment, arguments));
    }

    /** The output is smaller than a pipe, so the streams can be read one after the other. */
    private static Ended end(Process process) throws Exception {
        var out = new String(process.getInputStream().readAllBytes(), UTF_8);
        var err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        return new Ended(process.waitFor(), out, err);
    }
}
