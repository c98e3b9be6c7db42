package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Isolation;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.kubernetes.job.PodState;
import dev.longhaul.spi.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodEndTest {
    @TempDir
    Path directory;

    @Test
    void runs_given_back_for_other_reasons_do_not_count_as_disruptions() {
        try (var bench = new RunBench(directory, settings -> settings, PodBench.SHELL)) {
            bench.insert(PodBench.SHELL, "true");
            for (int i = 0; i < 10; i++) {
                bench.giveBack(bench.claim(PodBench.SHELL));
            }
            LiveRun run = bench.claim(PodBench.SHELL);
            assertThat(run.job().tally().run()).isEqualTo(11);
            assertThat(run.job().tally().attempts()).isEqualTo(1);
            var command = new PodCommand(Isolation.pod(PodBench.IMAGE), List.of(), Map.of());
            Outcome outcome = new PodEnd(run, command).outcome(new PodState.Disrupted("EvictionByEvictionAPI", ""));
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            Outcome.GivenBack.class,
                            back -> assertThat(back.reason().message()).contains("disruption 1"));
        }
    }
}
