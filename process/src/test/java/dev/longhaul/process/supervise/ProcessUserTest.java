package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.sitter.KillMethod;
import dev.longhaul.process.sitter.TreeKiller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that run as another user than the worker. */
class ProcessUserTest {
    private static final String NOBODY = "nobody";

    @TempDir
    private Path directory;

    private static ProcessUser nobody() {
        assumeTrue(ProcessUser.isRoot(), "only root can run processes as another user: not tested");
        return ProcessUser.named(NOBODY);
    }

    @Nested
    class Refuses {
        @Test
        void unknown_users() {
            nobody();
            for (String name : List.of("no-such-user", "", "--help")) {
                assertThatThrownBy(() -> ProcessUser.named(name))
                        .isInstanceOf(LonghaulException.class)
                        .hasMessage("processUser: " + name + " (expected: an existing user on this machine)");
            }
            assertThatThrownBy(() -> ProcessUser.named("root")).hasMessageContaining("a user other than root");
        }

        @Test
        void any_user_unless_the_worker_is_root() {
            assumeFalse(ProcessUser.isRoot(), "this is root: not tested");
            assertThatThrownBy(() -> ProcessUser.named(NOBODY)).hasMessageContaining("unless the worker is root");
        }

        @Test
        void classes_that_the_user_cannot_read() throws IOException {
            ProcessUser user = nobody();
            Path readable = Files.writeString(Files.createTempFile("longhaul-", ".jar"), "");
            Path hidden = Files.createDirectory(directory.resolve("classes"));
            try {
                Files.setPosixFilePermissions(readable, PosixFilePermissions.fromString("rw-r--r--"));
                user.requireReadable(List.of(readable.toString(), "/tmp"));
                assertThatThrownBy(() -> user.requireReadable(List.of(readable.toString(), hidden.toString())))
                        .hasMessage("processUser: nobody (expected: a user that can read the job classes;"
                                + " not readable: " + hidden + ")");
            } finally {
                Files.delete(readable);
            }
        }
    }

    static Stream<SupervisorTest.Way> ways() {
        ProcessUser user = nobody();
        return Stream.of(
                new SupervisorTest.Way(Confinement.best(user)),
                new SupervisorTest.Way(Confinement.of(KillMethod.PID_NAMESPACE, user)),
                new SupervisorTest.Way(Confinement.of(KillMethod.WALK, user)));
    }

    private static Launch shell(String script) {
        return new Launch(List.of("/bin/sh", "-c", script), Map.of(), null, ProcessLimits.NONE, () -> Long.MAX_VALUE);
    }

    private static String all(SupervisedProcess process) throws IOException {
        return new String(process.stdout().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static String run(Supervisor supervisor, SupervisorTest.Way way, String script) throws Exception {
        try (SupervisedProcess process = way.start(supervisor, shell(script))) {
            String said = all(process);
            process.await();
            return said;
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void can_reach_nothing_of_the_worker(SupervisorTest.Way way) throws Exception {
        long worker = ProcessHandle.current().pid();
        try (var supervisor = new Supervisor(way.confinement())) {
            Path door = supervisor.newDirectory("door");
            Path home = door.getParent();
            assertThat(run(supervisor, way, "id -u; id -g; id -G")).isEqualTo("65534\n65534\n65534\n");
            assertThat(run(
                            supervisor,
                            way,
                            "for f in environ mem maps; do cat /proc/" + worker + "/$f && echo $f; done; ls /proc/"
                                    + worker + "/fd && echo fd; ls " + home + " && echo home; touch " + home
                                    + "/x && echo written; kill -0 " + worker
                                    + " && echo kill; grep NoNewPrivs /proc/self/status"))
                    .isEqualTo("NoNewPrivs:\t1\n");
            Path secret = way.confinement().user().write(door.resolve("secret"), "for nobody");
            assertThat(Files.getPosixFilePermissions(secret)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
            assertThat(run(supervisor, way, "cat " + secret + "; ls " + door + "; touch " + door + "/x; rm " + secret))
                    .isEqualTo("for nobody");
            assertThat(secret).exists();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void have_a_directory_and_an_input_of_their_own(SupervisorTest.Way way) throws Exception {
        Path own;
        try (var supervisor = new Supervisor(way.confinement());
                var process = supervisor.start(
                        shell("cat; mkdir -m 0 a; echo x > b; ln -s /etc c; echo out > /dev/stdout; exit 3"), "in\n")) {
            own = process.directory();
            assertThat(Files.getPosixFilePermissions(own)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
            assertThat(all(process)).isEqualTo("in\nout\n");
            assertThat(process.await().exitCode()).isEqualTo(3);
            assertThat(own.resolve("b")).isRegularFile();
        }
        assertThat(own).doesNotExist();
        assertThat(Files.getAttribute(Path.of("/dev/null"), "unix:uid")).isEqualTo(0);
        assertThat(Path.of("/etc/hosts")).exists();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void cannot_influence_programs_that_run_before_them_as_the_worker(SupervisorTest.Way way) throws Exception {
        // Programs that print their user id, whatever their arguments.
        Path programs = Files.createDirectory(
                Path.of(System.getProperty("java.io.tmpdir"), "longhaul-programs-" + UUID.randomUUID()),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        try (var supervisor = new Supervisor(way.confinement())) {
            for (String name : List.of("chown", "sh", "setsid", "setpriv", "mine")) {
                Path program = Files.writeString(programs.resolve(name), "#!/bin/sh\n/usr/bin/id -u\n");
                Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
            var variables =
                    Map.of("PATH", programs.toString(), "LD_PRELOAD", "/no/such.so", "A", "'$(id)\n", "a.b", "c");
            try (var process = way.start(
                    supervisor,
                    new Launch(List.of("mine"), variables, null, ProcessLimits.NONE, () -> Long.MAX_VALUE))) {
                assertThat(all(process)).isEqualTo("65534\n");
                process.await();
                // Only processes after the change of user have LD_PRELOAD.
                assertThat(new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8).lines())
                        .allMatch(line -> line.startsWith("ERROR: ld.so: object '/no/such.so'"))
                        .hasSizeBetween(1, 3);
            }
            try (var process = way.start(
                    supervisor,
                    new Launch(List.of("/usr/bin/env"), variables, null, ProcessLimits.NONE, () -> Long.MAX_VALUE))) {
                assertThat(all(process)).contains("A='$(id)\n\n", "a.b=c\n", "PATH=" + programs + "\n");
                process.await();
            }
        } finally {
            TreeKiller.removeAll(programs);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void enter_only_directories_that_their_user_may_enter(SupervisorTest.Way way) throws Exception {
        // The directory itself is open, but its parent admits only the worker.
        Path inner = Files.createDirectory(directory.resolve("inner"));
        Files.writeString(inner.resolve("secret"), "canary");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("rwxrwxrwx"));
        var there = new Launch(
                List.of("cat", "secret"), Map.of(), inner.toString(), ProcessLimits.NONE, () -> Long.MAX_VALUE);
        var tmp =
                new Launch(List.of("sh", "-c", "pwd; env"), Map.of(), "/tmp", ProcessLimits.NONE, () -> Long.MAX_VALUE);
        try (var supervisor = new Supervisor(way.confinement())) {
            try (var process = way.start(supervisor, there)) {
                assertThat(all(process)).isEmpty();
                assertThat(process.await().exitCode()).isEqualTo(125);
            }
            try (var process = way.start(supervisor, tmp)) {
                assertThat(all(process)).startsWith("/tmp\n").doesNotContain("OLDPWD");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void get_every_character_as_it_is(SupervisorTest.Way way) throws Exception {
        var all = new StringBuilder();
        for (int character = 1; character < 0x3000; character++) {
            all.appendCodePoint(character);
        }
        all.append("\uD83D\uDE00 '\\'' \\ $HOME `id` \n");
        var variables = Map.of("A", all.toString(), "odd.name", "'1'", "IFS", "x", "OPTIND", "none");
        var env = new Launch(List.of("env"), variables, null, ProcessLimits.NONE, () -> Long.MAX_VALUE);
        var print = SupervisorTest.launch("printf", "%s", all.toString());
        try (var supervisor = new Supervisor(way.confinement())) {
            try (var process = way.start(supervisor, print)) {
                assertThat(all(process)).isEqualTo(all.toString());
            }
            try (var process = way.start(supervisor, env)) {
                assertThat(all(process)).contains("A=" + all, "odd.name='1'\n", "IFS=x\n", "OPTIND=none\n");
            }
        }
    }

    @Test
    void may_be_limited_to_one_process() throws Exception {
        Confinement confinement = Confinement.best(nobody());
        assumeTrue(confinement.complete(), "the number of processes cannot be limited here");
        try (var supervisor = new Supervisor(confinement);
                var process = supervisor.start(
                        SupervisorTest.launch(new ProcessLimits(null, null, 1), "echo", "alone"), null)) {
            assertThat(all(process)).isEqualTo("alone\n");
            assertThat(process.await().exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void leave_nothing_when_they_are_killed(SupervisorTest.Way way) throws Exception {
        String mark = "longhaul-" + UUID.randomUUID();
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor, shell("setsid sh -c 'trap \"\" TERM; echo ready; sleep 600; echo " + mark + "'"))) {
            assertThat(new String(process.stdout().readNBytes(6), StandardCharsets.UTF_8))
                    .isEqualTo("ready\n");
            process.kill();
            assertThat(SupervisorTest.having(mark)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void may_clean_up_when_they_are_asked_to_end(SupervisorTest.Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor,
                        shell("trap 'echo cleaned; exit 3' TERM; echo ready; while :; do sleep 0.05; done"))) {
            assertThat(new String(process.stdout().readNBytes(6), StandardCharsets.UTF_8))
                    .isEqualTo("ready\n");
            process.terminate();
            assertThat(all(process)).isEqualTo("cleaned\n");
            assertThat(process.await().exitCode()).isEqualTo(3);
        }
    }
}
