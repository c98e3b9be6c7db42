package dev.longhaul.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchMainTest {
    private final List<String> given = new ArrayList<>();

    @Test
    void hands_over_every_argument_in_order() {
        assertThat(bench("store", "--jobs", "5", "--help", "x=1", "@file", "-v"))
                .isZero();
        assertThat(given).containsExactly("--jobs", "5", "--help", "x=1", "@file", "-v");
    }

    @Test
    void needs_the_name_of_a_benchmark() {
        assertThat(bench()).isEqualTo(2);
        assertThat(bench("no-such-benchmark")).isEqualTo(2);
        assertThat(given).isEmpty();
    }

    private int bench(String... arguments) {
        return BenchMain.commandLine(all -> given.addAll(List.of(all)))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(arguments);
    }
}
