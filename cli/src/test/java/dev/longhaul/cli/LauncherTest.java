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

/** Starts the real launcher as a real process, in a directory that only looks like a checkout. */
@Timeout(60)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a POSIX shell script")
class LauncherTest {
    /** A Maven that notes its start, waits until the test lets it go on, and leaves a jar. */
    private static final String SLOW_MAVEN = """
            echo started >>maven.log
            until [ -e go ]; do sleep 0.05; done
            cp prepared.jar cli/target/longhaul.jar
            """;

    private static final String QUICK_MAVEN = """
            echo "$@" >>maven.log
            cp prepared.jar cli/target/longhaul.jar
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
                cp prepared.jar cli/target/longhaul.jar
                mkdir -p benchmarks/target
                cp prepared.jar benchmarks/target/longhaul-benchmarks.jar
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
    class Build {
        @BeforeEach
        void java_is_there() throws IOException {
            checkout.withJava();
        }

        @Test
        void is_done_when_there_is_no_jar_and_said_on_stderr_only() throws Exception {
            checkout.withMaven(
                    "echo '[INFO] Building Longhaul: core 0.1.0-SNAPSHOT         [2/16]'; echo noise\n" + QUICK_MAVEN);
            var ended = run("a");
            assertThat(ended.out).isEqualTo("<a>\n");
            assertThat(ended.err)
                    .contains("longhaul: building", "missing", "longhaul: part 2 of 16 core\n")
                    .doesNotContain("noise");
            assertThat(mavenLog()).contains("-pl cli -am package");
            assertThat(checkout.lock()).doesNotExist();
        }

        @Test
        void is_done_again_when_a_source_is_newer_and_not_otherwise() throws Exception {
            checkout.withMaven(QUICK_MAVEN);
            run();
            run();
            assertThat(mavenLog()).hasLineCount(1);
            checkout.touch(checkout.source());
            assertThat(run().err).contains("older than the sources");
            assertThat(mavenLog()).hasLineCount(2);
        }

        @Test
        void is_done_again_when_a_source_was_removed() throws Exception {
            checkout.withMaven(QUICK_MAVEN);
            run();
            Files.delete(checkout.source());
            run();
            assertThat(mavenLog()).hasLineCount(2);
        }

        @Test
        void sees_what_changed_while_it_went_on() throws Exception {
            // File times move on every few milliseconds only.
            var change = """
                    source=core/src/main/java/Source.java
                    until [ $source -nt cli/target/launcher.lock.started ]; do echo changed >$source; done
                    """;
            checkout.withMaven(change + QUICK_MAVEN);
            run();
            run();
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
        void is_done_by_one_launcher_while_the_others_wait() throws Exception {
            checkout.withMaven(SLOW_MAVEN);
            var first = checkout.start(checkout.launcher(), Map.of(), "first");
            assertThat(first.errorReader().readLine()).contains("building");
            var second = checkout.start(checkout.launcher(), Map.of(), "second");
            assertThat(second.errorReader().readLine()).contains("waiting for the build of process " + first.pid());
            letMavenGoOn();
            assertThat(end(first).out).isEqualTo("<first>\n");
            assertThat(end(second).out).isEqualTo("<second>\n");
            assertThat(mavenLog()).hasLineCount(1);
        }

        @Test
        void goes_on_after_a_launcher_died_in_its_midst() throws Exception {
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
            checkout.withMaven("echo $$ >&2\nexec sleep 600\n");
            var process = checkout.start(checkout.launcher(), Map.of());
            var err = process.errorReader();
            assertThat(err.readLine()).contains("building");
            var maven = ProcessHandle.of(Long.parseLong(err.readLine())).orElseThrow();
            process.toHandle().destroy();
            assertThat(process.waitFor()).isEqualTo(128 + 15);
            assertThat(maven.isAlive()).isFalse();
            assertThat(Files.exists(checkout.lock(), LinkOption.NOFOLLOW_LINKS)).isFalse();
        }

        private String mavenLog() throws IOException {
            return Files.readString(checkout.home().resolve("maven.log"));
        }

        private void letMavenGoOn() throws IOException {
            Files.createFile(checkout.home().resolve("go"));
        }
    }

    private Ended run(String... arguments) throws Exception {
        return run(Map.of(), arguments);
    }

    private Ended run(Map<String, String> environment, String... arguments) throws Exception {
        return end(checkout.start(checkout.launcher(), environment, arguments));
    }

    /** What is printed here is far less than a pipe holds, so one stream can be read after the other. */
    private static Ended end(Process process) throws Exception {
        var out = new String(process.getInputStream().readAllBytes(), UTF_8);
        var err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        return new Ended(process.waitFor(), out, err);
    }
}
