package dev.longhaul.bench.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Options;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks that the benchmark measures everything. Does not check speed. */
@Tag("full")
class IsolationBenchmarkTest {
    @Test
    void measures_threads_processes_and_commands() throws Exception {
        Options options = Options.parse(Menu.ISOLATION, "--quick", "--rounds", "1");
        String table = IsolationBenchmark.run(options, new PrintStream(OutputStream.nullOutputStream()))
                .toString();
        assertThat(table)
                .contains(
                        "warm process, p50",
                        "cold process, p50",
                        "memory of a process that waits",
                        "a command, p50",
                        "commands, 4 at once");
    }
}
