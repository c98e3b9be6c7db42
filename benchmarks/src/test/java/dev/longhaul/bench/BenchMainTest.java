package dev.longhaul.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.bench.measure.Options;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchMainTest {
    private final List<Options> given = new ArrayList<>();

    @Test
    void parses_the_arguments_of_a_benchmark() {
        assertThat(bench("store", "--jobs", "5", "--only", "history,blocked")).isZero();
        assertThat(given).containsExactly(new Options(5, 3, 1, List.of("history", "blocked"), null));
    }

    @Test
    void rejects_what_is_no_option() {
        assertThat(bench("store", "@file")).isEqualTo(1);
        assertThat(bench("store", "-v")).isEqualTo(1);
        assertThat(given).isEmpty();
    }

    @Test
    void help_of_a_benchmark_measures_nothing() {
        assertThat(bench("store", "--jobs", "5", "--help")).isZero();
        assertThat(given).isEmpty();
    }

    @Test
    void needs_the_name_of_a_benchmark() {
        assertThat(bench()).isEqualTo(2);
        assertThat(bench("no-such-benchmark")).isEqualTo(2);
        assertThat(given).isEmpty();
    }

    private int bench(String... arguments) {
        return BenchMain.commandLine((options, out) -> given.add(options))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(arguments);
    }
}
