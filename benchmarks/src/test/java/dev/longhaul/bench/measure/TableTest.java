package dev.longhaul.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columns_are_aligned_and_end_in_target_and_verdict() {
        var table = new Table("speed", "case", "ratio", "target", "")
                .row(Target.atLeast(0.7).judge(0.75), "enqueue", "0.75")
                .row(Target.atMost(2).judge(2.5), "p99", "2.50");
        assertThat(table.toString().lines().map(String::stripTrailing))
                .containsExactly(
                        "speed",
                        "  case      ratio    target",
                        "  enqueue    0.75   >= 0.70   pass",
                        "  p99        2.50   <= 2.00   MISS");
    }

    @Test
    void a_target_is_reached_at_its_bound() {
        assertThat(Target.atLeast(0.7).reachedBy(0.7)).isTrue();
        assertThat(Target.atLeast(0.7).reachedBy(0.69)).isFalse();
        assertThat(Target.atMost(50).reachedBy(50)).isTrue();
        assertThat(Target.atMost(50).reachedBy(50.1)).isFalse();
    }

    @Test
    void a_row_has_as_many_cells_as_the_head() {
        var table = new Table("speed", "case", "ratio", "target", "");
        assertThatThrownBy(() -> table.row(Target.atLeast(1).judge(1), "enqueue"))
                .hasMessage("cells: 3 (expected: 4)");
    }
}
