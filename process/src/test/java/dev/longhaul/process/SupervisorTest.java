package dev.longhaul.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.process.sitter.KillMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that try to stay, on every way to end them that this machine has. */
class SupervisorTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    static Stream<Confinement> confinements() {
        return Stream.of(Confinement.best(), Confinement.of(KillMethod.PID_NAMESPACE), Confinement.of(KillMethod.WALK));
    }

    private static Launch launch(String... command) {
        return launch(ProcessLimits.NONE, command);
    }

    private static Launch launch(ProcessLimits limits, String... command) {
        return new Launch(List.of(command), Map.of(), null, limits, () -> Long.MAX_VALUE);
    }

    private static Launch shell(String script) {
        return launch("/bin/sh", "-c", script);
    }

    private static String all(SupervisedProcess process) throws IOException {
        return new String(process.stdout().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The processes whose command line has that word. */
    static List<String> having(String word) throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .map(process -> {
                        try {
                            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                        } catch (IOException e) {
                            return "";
                        }
                    })
                    .filter(line -> line.contains(word))
                    .toList();
        }
    }

    private static void await(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + PATIENCE;
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void end_as_they_like_and_their_output_is_heard(Confinement confinement) throws Exception {
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(shell("echo out; echo err >&2; cat; exit 7"))) {
            process.stdin().write("in".getBytes(StandardCharsets.UTF_8));
            process.stdin().close();
            assertThat(all(process)).isEqualTo("out\nin");
            assertThat(new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("err\n");
            ProcessEnd end = process.await();
            assertThat(end.exitCode()).isEqualTo(7);
            assertThat(end.signal()).isNull();
            assertThat(end.outOfMemory()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void get_their_words_as_they_are(Confinement confinement) throws Exception {
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(launch("printf", "[%s]", ";id", "$(id)", "a\nb", "'", "", "`id`"))) {
            assertThat(all(process)).isEqualTo("[;id][$(id)][a\nb]['][][`id`]");
            assertThat(process.await().exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void leave_nothing_when_three_generations_are_killed(Confinement confinement) throws Exception {
        String mark = "longhaul-" + UUID.randomUUID();
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(shell("trap '' TERM; sh -c \"trap '' TERM; sh -c 'sleep 600; echo "
                        + mark + "'; echo " + mark + "\"; echo " + mark))) {
            await("three shells", () -> having(mark).size() >= 3);
            process.kill();
            assertThat(having(mark)).isEmpty();
            assertThat(process.await().exitCode()).isEqualTo(137);
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void leave_no_daemon_behind_when_they_end(Confinement confinement) throws Exception {
        String mark = "longhaul-" + UUID.randomUUID();
        // A daemon: another session, no variables, and nobody's child. Walking finds it only while it is.
        String daemon = "env -i setsid sh -c 'sleep 600; echo " + mark + "' &";
        if (confinement.killMethod() != KillMethod.WALK) {
            daemon = "(" + daemon + ");";
        }
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(shell(daemon + " while [ ! -e go ]; do sleep 0.05; done"))) {
            await("the daemon", () -> !having("sleep 600; echo " + mark).isEmpty());
            if (confinement.killMethod() == KillMethod.WALK) {
                process.kill();
            } else {
                Files.createFile(process.tree().directory().resolve("go"));
                assertThat(process.await().exitCode()).isZero();
            }
            assertThat(having(mark)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void may_clean_up_when_they_are_asked_to_end(Confinement confinement) throws Exception {
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(
                        shell("trap 'echo cleaned; exit 3' TERM; echo ready; while :; do sleep 0.05; done"))) {
            byte[] ready = process.stdout().readNBytes(6);
            assertThat(new String(ready, StandardCharsets.UTF_8)).isEqualTo("ready\n");
            process.terminate();
            assertThat(all(process)).isEqualTo("cleaned\n");
            assertThat(process.await().exitCode()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void are_killed_when_they_take_too_much_memory(Confinement confinement) throws Exception {
        var limits = new ProcessLimits(64L << 20, null, null);
        try (var supervisor = new Supervisor(confinement);
                // It looks for a line in what has none.
                var process = supervisor.start(launch(limits, "tail", "/dev/zero"))) {
            ProcessEnd end = process.await();
            assertThat(end.outOfMemory()).isTrue();
            assertThat(end.peakMemory()).isGreaterThan(60L << 20);
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void see_only_the_variables_they_may_see(Confinement confinement) throws Exception {
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(new Launch(
                        List.of("env"), Map.of("GIVEN", "x"), null, ProcessLimits.NONE, () -> Long.MAX_VALUE))) {
            List<String> names = all(process)
                    .lines()
                    .map(line -> line.substring(0, line.indexOf('=')))
                    .toList();
            assertThat(names).contains("GIVEN", "HOME", "PATH", "TMPDIR", "PWD");
            assertThat(Set.of("GIVEN", "HOME", "PATH", "TMPDIR", "PWD", "LANG", "LC_ALL", "TZ", "SHLVL", "_", "OLDPWD"))
                    .containsAll(names);
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void have_a_directory_of_their_own_which_goes_with_them(Confinement confinement) throws Exception {
        Path directory;
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(shell("mkdir a; echo x > a/b; ln -s /etc c; pwd"))) {
            directory = Path.of(all(process).strip());
            assertThat(directory).isDirectory().isEqualTo(process.tree().directory());
            assertThat(Files.getPosixFilePermissions(directory.getParent())).hasSize(3);
        }
        assertThat(directory).doesNotExist();
        assertThat(directory.getParent()).doesNotExist();
        assertThat(Path.of("/etc/hosts")).exists();
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void have_only_three_files_open(Confinement confinement) throws Exception {
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(launch("ls", "/proc/self/fd"))) {
            // The fourth is the listed directory itself.
            assertThat(all(process).lines()).containsExactly("0", "1", "2", "3");
        }
    }
}
