package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.longhaul.process.sitter.KillMethod;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs that start after a hostile command that has written into every pipe it could open. Isolated, because the command would write
 * into the child processes of other tests too.
 */
@Isolated
class LaterRunsTest {
    /** A script that a shell would execute if it read commands from one of the pipes. */
    private static final String ORDER = "echo() { command echo \"$@\"; case $1 in *+*) env; exit 0;; esac; }";

    private static final String OTHERS_TOO = "others";

    static Stream<Confinement> confinements() {
        Stream<Confinement> plain = Stream.of(Confinement.best(), of(KillMethod.PID_NAMESPACE, ProcessUser.OWN));
        if (!ProcessUser.isRoot()) {
            return plain;
        }
        ProcessUser nobody = ProcessUser.named("nobody");
        return Stream.concat(
                plain,
                Stream.of(Confinement.best(nobody), of(KillMethod.PID_NAMESPACE, nobody), of(KillMethod.WALK, nobody)));
    }

    private static Confinement of(KillMethod method, ProcessUser user) {
        return Confinement.of(method, user);
    }

    /**
     * Writes the order into the pipes of its parent and of every child of the worker. A process with the worker's own user could
     * attack the worker and its sitter directly, which no launcher prevents, so these two are left out for that user.
     */
    private static Launch attack(Confinement confinement) {
        long worker = ProcessHandle.current().pid();
        String script = """
                read -r me comm state parent rest < /proc/self/stat
                for process in /proc/[0-9]*; do
                  pid=${process#/proc/}
                  { read -r p c s of r < $process/stat; } 2>/dev/null || continue
                  [ $pid = $me ] || [ $pid = 1 ] && continue
                  [ $pid = $parent ] || [ $of = WORKER ] || [ $pid = WORKER ] || continue
                  if [ "$1" != others ]; then
                    [ $pid = WORKER ] && continue
                    grep -q SitterMain $process/cmdline && continue
                  fi
                  for fd in $process/fd/*; do
                    if [ -p $fd ]; then printf '%s\\n' "$2" 1<>$fd; fi
                  done
                done 2>/dev/null
                :
                """.replace("WORKER", String.valueOf(worker));
        String reach = confinement.user().isOther() ? OTHERS_TOO : "own";
        return SupervisorTest.launch("/bin/sh", "-c", script, "sh", reach, ORDER);
    }

    private record Ended(String printed, int exitCode) {}

    private static Ended run(Supervisor supervisor, Launch launch) throws Exception {
        try (SupervisedProcess process = supervisor.start(launch, null)) {
            CompletableFuture<String> printed = SupervisorTest.printed(process);
            int exitCode = process.await().exitCode();
            process.stderr().readAllBytes();
            return new Ended(printed.join(), exitCode);
        }
    }

    @ParameterizedTest
    @MethodSource("confinements")
    void keep_their_secrets_and_their_exit_codes(Confinement confinement) throws Exception {
        try (var supervisor = new Supervisor(confinement)) {
            assertThat(run(supervisor, attack(confinement)).exitCode()).isZero();
            var victim = new Launch(
                    List.of("/bin/sh", "-c", "echo mine; exit 7"),
                    Map.of("SECRET", "canary"),
                    null,
                    ProcessLimits.NONE,
                    () -> Long.MAX_VALUE);
            for (int i = 0; i < 3; i++) {
                assertThat(run(supervisor, victim)).isEqualTo(new Ended("mine\n", 7));
            }
        }
    }

    @Test
    void share_no_process_with_earlier_ones() throws Exception {
        Confinement best = Confinement.best();
        assumeTrue(best.cgroups() != null, "no writable cgroup");
        try (var supervisor = new Supervisor(best)) {
            Launch parent = SupervisorTest.shell("echo $PPID");
            String worker = ProcessHandle.current().pid() + "\n";
            assertThat(run(supervisor, parent)).isEqualTo(new Ended(worker, 0));
            assertThat(run(supervisor, parent)).isEqualTo(new Ended(worker, 0));
        }
    }
}
