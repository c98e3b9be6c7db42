package dev.longhaul.bench.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Options;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks that the benchmark measures everything. Does not check speed. */
@Tag("full")
class SchedulesBenchmarkTest {
    @Test
    void measures_punctuality_and_the_cost_of_a_pass() throws Exception {
        var options = new Options(200, 1, 0.05, Menu.SCHEDULES.scenarios(), null);
        String table = SchedulesBenchmark.run(options, new PrintStream(OutputStream.nullOutputStream()))
                .toString();
        assertThat(table)
                .contains(
                        "200 schedules on one second, last decided",
                        "last job started",
                        "50 schedules every second, decided late, p99",
                        "missed",
                        "a pass among 5,000 schedules, beside 100, p50");
    }
}
