package dev.longhaul.process.supervise;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Tries what the cgroups of its process support, and prints the results. */
final class InGroups {
    private static final long MEBIBYTE = 1 << 20;

    private InGroups() {}

    public static void main(String[] args) throws Exception {
        // A second instance must work with the changes of the first.
        try (var first = Confinement.best();
                var confinement = Confinement.best();
                var supervisor = new Supervisor(confinement)) {
            System.out.println("first: " + first.killMethod());
            System.out.println("kill: " + confinement.killMethod() + ", complete: " + confinement.complete());
            ProcessEnd echo = run(supervisor, ProcessLimits.NONE, "echo heard; exit 7");
            System.out.println("exit code: " + echo.exitCode());
            ProcessEnd hog =
                    run(supervisor, new ProcessLimits(32 * MEBIBYTE, null, null), "head -c 100000000 /dev/zero | tail");
            System.out.println("hog out of memory: " + hog.outOfMemory());
            if (confinement.complete()) {
                var forks = new ProcessLimits(null, null, 5);
                ProcessEnd bomb =
                        run(supervisor, forks, "for i in 1 2 3 4 5 6 7 8 9; do sleep 60 >/dev/null & done; exit 0");
                System.out.println("bomb exit code: " + bomb.exitCode());
            }
            tree(supervisor);
        }
    }

    private static ProcessEnd run(Supervisor supervisor, ProcessLimits limits, String script) throws Exception {
        try (var process = supervisor.start(launch(limits, script), null)) {
            System.out.print(new String(process.stdout().readAllBytes(), StandardCharsets.UTF_8));
            return process.await();
        }
    }

    private static Launch launch(ProcessLimits limits, String script) {
        return new Launch(List.of("/bin/sh", "-c", script), Map.of(), null, limits, () -> Long.MAX_VALUE);
    }

    private static void tree(Supervisor supervisor) throws Exception {
        String mark = "31536123";
        String script = "(setsid env -i sh -c 'sleep " + mark + " & sleep " + mark + "' & sleep " + mark + ") & wait";
        try (var process = supervisor.start(launch(ProcessLimits.NONE, script), null)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (sleeping(mark).size() < 3) {
                if (System.nanoTime() > end) {
                    throw new IllegalStateException("only these sleep: " + sleeping(mark));
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
            process.kill();
            System.out.println("left: " + sleeping(mark));
        }
    }

    private static List<Long> sleeping(String mark) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains("sleep " + mark))
                .map(ProcessHandle::pid)
                .toList();
    }
}
