package dev.longhaul.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OptionsTest {
    private static Options parse(String... args) {
        return Options.parse(Menu.STORE, args);
    }

    @Test
    void the_defaults_are_those_of_the_ceiling() {
        Options options = parse();
        assertThat(options.jobs()).isEqualTo(200_000);
        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.only()).isEqualTo(Options.SCENARIOS);
        assertThat(options.volume(300_000)).isEqualTo(300_000);
    }

    @Test
    void quick_uses_a_twentieth_but_for_what_is_asked_for() {
        assertThat(parse("--quick").jobs()).isEqualTo(10_000);
        assertThat(parse("--quick").volume(2_000_000)).isEqualTo(100_000);
        assertThat(parse("--quick", "--jobs", "5000").jobs()).isEqualTo(5000);
    }

    @Test
    void what_makes_no_sense_is_refused_with_what_was_expected() {
        assertThatThrownBy(() -> parse("--rounds", "0")).hasMessage("--rounds: 0 (expected: a whole number >= 1)");
        assertThatThrownBy(() -> parse("--rounds")).hasMessage("--rounds: nothing (expected: a value)");
        assertThatThrownBy(() -> parse("--only", "speed")).hasMessageStartingWith("--only: speed (expected: some of");
        assertThatThrownBy(() -> parse("--fast")).hasMessageStartingWith("--fast is not an option");
        assertThatThrownBy(() -> parse("--database-url", "postgres://x")).hasMessageContaining("jdbc:postgresql");
    }
}
