package dev.longhaul.bench.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.bench.measure.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Checks that each scenario of the benchmark runs to its end on a few hundred jobs. Does not check speed. */
@ResourceLock(Resources.SYSTEM_OUT) // The ceiling prints there, and its output is parsed.
@Tag("full")
class StoreBenchmarkTest {
    @Test
    void every_scenario_ends_in_a_table() throws Exception {
        var printed = new ByteArrayOutputStream();
        var out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        var tables = StoreBenchmark.run(new Options(600, 1, 0.001, Options.SCENARIOS, null), out);
        assertThat(tables.stream().map(table -> table.toString().split(":", 2)[0]))
                .containsExactlyElementsOf(Options.SCENARIOS);
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("round 1, ceiling", "late row 5", "All together");
    }
}
