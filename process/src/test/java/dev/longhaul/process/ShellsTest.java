package dev.longhaul.process;

import static dev.longhaul.process.SupervisorTest.all;
import static dev.longhaul.process.SupervisorTest.launch;
import static dev.longhaul.process.SupervisorTest.printed;
import static dev.longhaul.process.SupervisorTest.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Commands that a shell starts which waits for them, one after the other. */
class ShellsTest {
    private static Supervisor withShells() {
        Confinement best = Confinement.best();
        assumeTrue(best.cgroups() != null, "no writable cgroup");
        return new Supervisor(best);
    }

    /** What the command prints when all has ended. */
    private static String run(Supervisor supervisor, String script) throws Exception {
        return run(supervisor, shell(script));
    }

    private static String run(Supervisor supervisor, Launch launch) throws Exception {
        try (SupervisedProcess process = supervisor.start(launch, null)) {
            CompletableFuture<String> printed = printed(process);
            int exitCode = process.await().exitCode();
            return printed.join() + process.stderr().readAllBytes().length + " " + exitCode;
        }
    }

    @Test
    void run_one_after_the_other_in_the_same_shell() throws Exception {
        try (Supervisor supervisor = withShells()) {
            String first = run(supervisor, "echo $PPID; echo error >&2; exit 3");
            assertThat(first).endsWith("\n6 3");
            assertThat(run(supervisor, "echo $PPID; printf error >&2; exit 3")).isEqualTo(first.replace("6 3", "5 3"));
            assertThat(run(supervisor, "printf nothing; kill -9 $$")).isEqualTo("nothing0 137");
        }
    }

    @Test
    void leave_their_shell_when_something_stays_or_was_sent_to_it() throws Exception {
        try (Supervisor supervisor = withShells()) {
            String first = run(supervisor, "echo $PPID");
            String second = run(supervisor, "echo $PPID; (sleep 600 >/dev/null 2>&1 &)");
            assertThat(second).isEqualTo(first);
            assertThat(run(supervisor, "echo $PPID")).isNotEqualTo(first).endsWith("0 0");
            String asked;
            try (SupervisedProcess process = supervisor.start(shell("echo $PPID; sleep 600"), null)) {
                asked = new String(process.stdout().readNBytes(3), StandardCharsets.UTF_8);
                process.terminate();
                asked += all(process);
                assertThat(process.await().exitCode()).isEqualTo(143);
            }
            assertThat(run(supervisor, "echo $PPID")).doesNotStartWith(asked);
        }
    }

    @Test
    void leave_their_shell_when_nobody_has_read_what_they_printed() throws Exception {
        try (Supervisor supervisor = withShells()) {
            String first;
            try (SupervisedProcess process = supervisor.start(shell("echo $PPID; echo unread >&2"), null)) {
                first = all(process);
                assertThat(process.await().exitCode()).isZero();
            }
            assertThat(run(supervisor, "echo $PPID")).endsWith("\n0 0").doesNotStartWith(first);
        }
    }

    @Test
    void may_end_their_shell() throws Exception {
        try (Supervisor supervisor = withShells()) {
            assertThat(run(supervisor, "kill -9 $PPID; sleep 600")).isEqualTo("0 137");
            assertThat(run(supervisor, "trap '' TERM; kill 0; echo on")).isEqualTo("on\n0 0");
            assertThat(run(supervisor, "kill -9 0; sleep 600")).isEqualTo("0 137");
            assertThat(run(supervisor, "echo next")).isEqualTo("next\n0 0");
        }
    }

    @Test
    void get_every_character_as_it_is_from_a_shell() throws Exception {
        var all = new StringBuilder();
        for (int character = 1; character < 0x3000; character++) {
            all.appendCodePoint(character);
        }
        all.append("\uD83D\uDE00 '\\'' \\ $HOME `id` \n");
        var launch = new Launch(
                List.of("env"),
                Map.of("A", all.toString(), "odd.name", "'1'", "IFS", "x", "OPTIND", "none", "lh_pid", "2"),
                "/tmp",
                ProcessLimits.NONE,
                () -> Long.MAX_VALUE);
        try (Supervisor supervisor = withShells()) {
            assertThat(run(supervisor, launch("printf", "%s", all.toString()))).isEqualTo(all + "0 0");
            assertThat(run(supervisor, launch))
                    .contains("A=" + all, "odd.name='1'\n", "IFS=x\n", "OPTIND=none\n", "lh_pid=2\n", "PWD=/tmp\n");
        }
    }

    @Test
    void may_print_much_more_than_a_pipe_holds() throws Exception {
        try (Supervisor supervisor = withShells()) {
            assertThat(run(supervisor, "head -c 1000000 /dev/zero")).hasSize(1_000_000 + 3);
            try (SupervisedProcess process = supervisor.start(launch("cat"), "x".repeat(1_000_000))) {
                assertThat(all(process)).hasSize(1_000_000);
            }
        }
    }

    @Test
    void are_counted_alone_in_a_shell_that_ran_others() throws Exception {
        var limits = new ProcessLimits(64L << 20, null, 10);
        try (Supervisor supervisor = withShells()) {
            run(supervisor, launch(limits, "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"));
            try (SupervisedProcess process = supervisor.start(launch(limits, "true"), null)) {
                all(process);
                ProcessEnd end = process.await();
                assertThat(end.cpuTime()).isLessThan(Duration.ofMillis(50));
                assertThat(end.outOfMemory()).isFalse();
            }
            assertThat(run(supervisor, launch(limits, "tail", "/dev/zero"))).endsWith("137");
            try (SupervisedProcess process = supervisor.start(launch(limits, "true"), null)) {
                all(process);
                assertThat(process.await().outOfMemory()).isFalse();
            }
        }
    }

    @Test
    void cannot_read_what_an_earlier_one_was_given_to_read() throws Exception {
        try (var supervisor = new Supervisor(Confinement.best())) {
            String place;
            try (SupervisedProcess first = supervisor.start(shell("cat; cd ..; pwd"), "for it alone\n")) {
                CompletableFuture<String> printed = printed(first);
                first.stderr().readAllBytes();
                first.await();
                assertThat(printed.join()).startsWith("for it alone\n/");
                place = printed.join().lines().skip(1).findFirst().orElseThrow();
            }
            try (SupervisedProcess next = supervisor.start(shell("cat " + place + "/stdin || echo nothing"), null)) {
                CompletableFuture<String> printed = printed(next);
                next.await();
                assertThat(printed.join()).isEqualTo("nothing\n");
            }
        }
    }
}
