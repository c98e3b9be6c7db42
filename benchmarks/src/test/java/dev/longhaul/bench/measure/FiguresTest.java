package dev.longhaul.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void the_median_is_the_middle_value_or_lies_between_the_two_middle_ones() {
        assertThat(new Figures(List.of(9.0, 1.0, 5.0)).median()).isEqualTo(5);
        assertThat(new Figures(List.of(9.0, 1.0, 5.0, 7.0)).median()).isEqualTo(6);
    }

    @Test
    void a_percentile_is_a_value_that_was_measured() {
        var hundred = new Figures(
                IntStream.rangeClosed(1, 100).mapToObj(i -> (double) i).toList());
        assertThat(hundred.percentile(99)).isEqualTo(99);
        assertThat(hundred.percentile(50)).isEqualTo(50);
        assertThat(hundred.max()).isEqualTo(100);
        assertThat(new Figures(List.of(3.0)).percentile(99)).isEqualTo(3);
    }

    @Test
    void first_and_last_follow_the_order_of_measuring() {
        var figures = new Figures(List.of(3.0, 1.0, 2.0));
        assertThat(figures.first()).isEqualTo(3);
        assertThat(figures.last()).isEqualTo(2);
        assertThat(figures.spread()).isEqualTo("1 - 3");
    }

    @Test
    void there_is_no_figure_without_a_measurement() {
        assertThatThrownBy(() -> new Figures(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
