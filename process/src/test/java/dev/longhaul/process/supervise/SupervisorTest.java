package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.process.sitter.KillMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that resist being killed, with every kill method that this machine supports. */
@Tag("full")
class SupervisorTest {
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(20);

    static Stream<Way> ways() {
        return Stream.of(
                new Way(Confinement.best()),
                new Way(Confinement.of(KillMethod.PID_NAMESPACE, ProcessUser.OWN)),
                new Way(Confinement.of(KillMethod.WALK, ProcessUser.OWN)));
    }

    /** How processes are confined. */
    record Way(Confinement confinement) {
        SupervisedProcess start(Supervisor supervisor, Launch launch) throws IOException {
            return supervisor.start(launch, null);
        }

        boolean walks() {
            return confinement.killMethod() == KillMethod.WALK;
        }
    }

    static Launch launch(String... command) {
        return launch(ProcessLimits.NONE, command);
    }

    static Launch launch(ProcessLimits limits, String... command) {
        return new Launch(List.of(command), Map.of(), null, limits, () -> Long.MAX_VALUE);
    }

    static Launch shell(String script) {
        return launch("/bin/sh", "-c", script);
    }

    static String all(SupervisedProcess process) throws IOException {
        return new String(process.stdout().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Waits for its exit while another thread reads its output. */
    private static ProcessEnd ended(SupervisedProcess process) throws InterruptedException {
        CompletableFuture<String> printed = printed(process);
        ProcessEnd end = process.await();
        printed.join();
        return end;
    }

    static CompletableFuture<String> printed(SupervisedProcess process) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return all(process);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** The processes whose command line contains the word. */
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
        long end = System.nanoTime() + TIMEOUT;
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void report_their_exit_code_and_their_output(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process = supervisor.start(shell("echo out; echo err >&2; cat; exit 7"), "in")) {
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
    @MethodSource("ways")
    void get_their_arguments_unchanged(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process =
                        way.start(supervisor, launch("printf", "[%s]", ";id", "$(id)", "a\nb", "'", "", "`id`"))) {
            assertThat(all(process)).isEqualTo("[;id][$(id)][a\nb]['][][`id`]");
            assertThat(process.await().exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void may_read_and_print_much_more_than_a_pipe_holds(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process = supervisor.start(launch("cat"), "x".repeat(1_000_000))) {
            assertThat(all(process)).hasSize(1_000_000);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void signal_only_themselves_with_their_group(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement())) {
            try (var process = way.start(supervisor, shell("trap '' TERM; kill 0; echo on"))) {
                assertThat(all(process)).isEqualTo("on\n");
                assertThat(process.await().exitCode()).isZero();
            }
            try (var process = way.start(supervisor, shell("kill -9 0; sleep 600"))) {
                assertThat(all(process)).isEmpty();
                assertThat(process.await().exitCode()).isEqualTo(137);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void leave_nothing_when_three_generations_are_killed(Way way) throws Exception {
        String mark = "longhaul-" + UUID.randomUUID();
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor,
                        shell("trap '' TERM; sh -c \"trap '' TERM; sh -c 'sleep 600; echo " + mark + "'; echo " + mark
                                + "\"; echo " + mark))) {
            await("three shells", () -> having(mark).size() >= 3);
            process.kill();
            assertThat(having(mark)).isEmpty();
            assertThat(ended(process).exitCode()).isEqualTo(137);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void leave_no_daemon_behind_when_they_end(Way way) throws Exception {
        String mark = "longhaul-" + UUID.randomUUID();
        // A daemon: another session, no variables, and orphaned. WALK finds it only while it has a parent.
        String daemon = "env -i setsid sh -c 'sleep 600; echo " + mark + "' &";
        if (!way.walks()) {
            daemon = "(" + daemon + ");";
        }
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(supervisor, shell(daemon + " while [ ! -e go ]; do sleep 0.05; done"))) {
            await("the daemon", () -> !having("sleep 600; echo " + mark).isEmpty());
            if (way.walks()) {
                process.kill();
            } else {
                Files.createFile(process.directory().resolve("go"));
                assertThat(ended(process).exitCode()).isZero();
            }
            assertThat(having(mark)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void may_clean_up_when_they_are_asked_to_end(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor,
                        shell("trap 'echo cleaned; exit 3' TERM; echo ready; while :; do sleep 0.05; done"))) {
            byte[] ready = process.stdout().readNBytes(6);
            assertThat(new String(ready, StandardCharsets.UTF_8)).isEqualTo("ready\n");
            process.terminate();
            assertThat(all(process)).isEqualTo("cleaned\n");
            assertThat(process.await().exitCode()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void receive_the_request_to_end_although_they_are_stopped(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor,
                        shell("trap 'echo cleaned; exit 3' TERM; read -r me rest </proc/self/stat;"
                                + " (until grep -q '^State:.T' /proc/$me/status; do sleep 0.02; done; echo stopped) &"
                                + " kill -STOP $$; wait; sleep 600"))) {
            byte[] stopped = process.stdout().readNBytes(8);
            assertThat(new String(stopped, StandardCharsets.UTF_8)).isEqualTo("stopped\n");
            process.terminate();
            CompletableFuture<String> printed = printed(process);
            assertThat(process.endsWithin(TIMEOUT, TimeUnit.NANOSECONDS)).isTrue();
            assertThat(printed.join()).isEqualTo("cleaned\n");
            assertThat(process.await().exitCode()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void print_only_their_own_output(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement())) {
            for (String signal : List.of("TERM", "KILL")) {
                try (var process = way.start(supervisor, shell("echo mine >&2; kill -" + signal + " $$; sleep 600"))) {
                    assertThat(all(process)).isEmpty();
                    assertThat(new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8))
                            .isEqualTo("mine\n");
                    assertThat(process.await().signal()).isNotNull();
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void may_be_asked_to_end_before_they_have_begun(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement())) {
            for (int i = 0; i < 20; i++) {
                try (var process = way.start(supervisor, launch("sleep", "600"))) {
                    process.terminate();
                    CompletableFuture<String> printed = printed(process);
                    assertThat(process.endsWithin(TIMEOUT, TimeUnit.NANOSECONDS))
                            .as("attempt %s", i)
                            .isTrue();
                    assertThat(process.await().exitCode()).isNotZero();
                    printed.join();
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void leave_nothing_in_groups_that_they_have_made(Way way) throws Exception {
        assumeTrue(way.confinement().killMethod() == KillMethod.CGROUP_KILL, "it has no such group");
        String mark = "longhaul-" + UUID.randomUUID();
        Path group;
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor,
                        shell(
                                "group=$(awk '/ - cgroup2 / {print $5}' /proc/self/mountinfo)$(sed -n s/^0:://p /proc/self/cgroup);"
                                        + " mkdir $group/inner && echo $$ > $group/inner/cgroup.procs || exit 1;"
                                        + " (setsid sh -c 'sleep 600; echo " + mark + "' >/dev/null 2>&1 &)"))) {
            group = process.tree().cgroups().get(0);
            assertThat(ended(process).exitCode()).isZero();
            assertThat(having(mark)).isEmpty();
        }
        assertThat(group).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void are_killed_when_they_take_too_much_memory(Way way) throws Exception {
        var limits = new ProcessLimits(64L << 20, null, null);
        try (var supervisor = new Supervisor(way.confinement());
                // tail buffers input without a line end, so its memory grows.
                var process = way.start(supervisor, launch(limits, "tail", "/dev/zero"))) {
            ProcessEnd end = ended(process);
            assertThat(end.outOfMemory()).isTrue();
            assertThat(end.peakMemory()).isGreaterThan(60L << 20);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void are_killed_when_one_of_them_takes_too_much_memory(Way way) throws Exception {
        var limits = new ProcessLimits(64L << 20, null, null);
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor, launch(limits, "/bin/sh", "-c", "tail /dev/zero; echo survived; sleep 600"))) {
            CompletableFuture<String> printed = printed(process);
            assertThat(process.endsWithin(TIMEOUT, TimeUnit.NANOSECONDS)).isTrue();
            assertThat(process.await().outOfMemory()).isTrue();
            printed.join();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void may_share_their_memory_with_their_forks(Way way) throws Exception {
        var limits = new ProcessLimits(200L << 20, null, null);
        String forks = "x=$(head -c 30000000 /dev/zero | tr '\\000' x); for i in 1 2 3 4 5 6 7 8 9 10; do"
                + " (sleep 1; :) & done; wait; echo done";
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(supervisor, launch(limits, "/bin/sh", "-c", forks))) {
            assertThat(all(process)).isEqualTo("done\n");
            ProcessEnd end = process.await();
            assertThat(end.outOfMemory()).isFalse();
            assertThat(end.exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void see_only_the_variables_they_may_see(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor,
                        new Launch(
                                List.of("env"),
                                Map.of("GIVEN", "x"),
                                null,
                                ProcessLimits.NONE,
                                () -> Long.MAX_VALUE))) {
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
    @MethodSource("ways")
    void have_a_directory_of_their_own_which_goes_with_them(Way way) throws Exception {
        Path directory;
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(
                        supervisor,
                        shell("pwd; mkdir a; echo x > a/b; ln -s /etc c;"
                                // A directory without permissions, and one nested deeper than the path limit.
                                + " chmod 000 a; d=$(printf %0200d 0); while mkdir $d && cd $d; do :; done 2>/dev/null;"
                                + " :"))) {
            directory = Path.of(all(process).strip());
            assertThat(directory).isDirectory().isEqualTo(process.directory());
            assertThat(Files.getPosixFilePermissions(directory.getParent())).hasSize(3);
        }
        assertThat(directory).doesNotExist();
        assertThat(directory.getParent()).doesNotExist();
        assertThat(Path.of("/etc/hosts")).exists();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void have_only_three_files_open(Way way) throws Exception {
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(supervisor, launch("ls", "/proc/self/fd"))) {
            // The fourth is the listed directory itself.
            assertThat(all(process).lines()).containsExactly("0", "1", "2", "3");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void that_cannot_be_started_leave_nothing(Way way) throws Exception {
        Path home;
        int failed = 0;
        try (var supervisor = new Supervisor(way.confinement())) {
            Path door = supervisor.newDirectory("door");
            home = door.getParent();
            Files.delete(door);
            // An argument longer than the system accepts, and one with a NUL character.
            for (String word : List.of("x".repeat(131_073), "\0")) {
                try (var process = way.start(supervisor, launch("echo", word))) {
                    all(process);
                    failed += process.await().exitCode() == 0 ? 0 : 1;
                } catch (IOException e) {
                    failed++;
                }
            }
        }
        assertThat(failed).isEqualTo(2);
        assertThat(home).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void send_heartbeats(Way way) throws Exception {
        var beats = new LinkedBlockingQueue<String>();
        try (var supervisor = new Supervisor(way.confinement());
                var process = way.start(supervisor, shell("while [ ! -e go ]; do sleep 0.05; done"))) {
            CompletableFuture<String> printed = printed(process);
            var ending = new Ending(process, null, Duration.ZERO, Duration.ofMillis(20), beats::add);
            CompletableFuture<Void> ended = CompletableFuture.runAsync(ending::await);
            for (int beat = 0; beat < 2; beat++) {
                assertThat(beats.poll(20, TimeUnit.SECONDS)).matches("\\{\"durationMillis\":\\d+.*}");
            }
            Files.createFile(process.directory().resolve("go"));
            ended.join();
            assertThat(ending.how().exitCode()).isZero();
            printed.join();
        }
    }

    @Test
    void are_not_started_after_the_supervisor_is_closed() throws Exception {
        var supervisor = new Supervisor(Confinement.best());
        Path home;
        try (SupervisedProcess last = supervisor.start(launch("true"), null)) {
            home = last.directory().getParent();
            supervisor.close();
        }
        assertThatThrownBy(() -> supervisor.start(launch("sleep", "600"), null)).hasMessageContaining("shutting down");
        assertThat(home).doesNotExist();
    }
}
