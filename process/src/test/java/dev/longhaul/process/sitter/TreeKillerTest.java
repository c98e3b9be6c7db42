package dev.longhaul.process.sitter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeKillerTest {
    @Test
    void finds_a_namespace_whose_outermost_process_was_killed_as_it_began(@TempDir Path directory) throws Exception {
        Process outer;
        try {
            // Without --kill-child, which takes effect only once the inner process has requested it.
            outer = new ProcessBuilder(
                            "setsid",
                            "unshare",
                            "--user",
                            "--map-current-user",
                            "--pid",
                            "--fork",
                            "--",
                            "sleep",
                            "600")
                    .start();
        } catch (IOException e) {
            assumeThat(e).as("setsid is there").isNull();
            return;
        }
        Set<Long> all = Processes.now().ofNamespace(outer.pid());
        for (int i = 0; i < 1000 && all.size() < 2 && outer.isAlive(); i++) {
            TimeUnit.MILLISECONDS.sleep(5);
            all = Processes.now().ofNamespace(outer.pid());
        }
        assumeThat(all).as("PID namespaces can be made here").hasSize(2);
        outer.destroyForcibly().waitFor();
        all.remove(outer.pid());
        assertThat(all).allMatch(Processes::isAlive);

        TreeKiller.kill(new ProcessTree(
                "1", KillMethod.PID_NAMESPACE, String.valueOf(outer.pid()), List.of(), directory.resolve("gone")));

        assertThat(all).noneMatch(Processes::isAlive);
    }
}
