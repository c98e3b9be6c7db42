package dev.longhaul.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Checks that each scenario of the benchmark runs to its end on a few hundred jobs. Does not check speed. */
@Tag("full")
@ResourceLock(Resources.SYSTEM_OUT) // The ceiling prints there, and its output is parsed.
class EngineBenchmarkTest {
    @Test
    void every_scenario_has_rows_in_the_one_table() throws Exception {
        var printed = new ByteArrayOutputStream();
        var out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        var table = EngineBenchmark.run(new Options(600, 1, 0.001, Menu.ENGINE.scenarios(), null), out);
        assertThat(table.toString())
                .contains(
                        "drain beside the ceiling's",
                        "pick-up at 500/s, one process, p50",
                        "pick-up at 2000/s, two processes, p99",
                        "600 jobs due at one instant, start p99",
                        "10,000 scheduled jobs/s",
                        "lost or started twice",
                        "16 callers",
                        "drain with metrics beside one without",
                        "drain with traces of 10% beside one without",
                        "control: insert + notify + select, p99");
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("drain: round 1", "pick-up: 500/s, two processes", table.toString());
    }
}
