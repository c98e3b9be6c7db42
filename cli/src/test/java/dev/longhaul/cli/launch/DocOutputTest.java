package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DocOutputTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit code 5 | exit code 5",
                "01a1e4c6-f401-7000-8eba-753800651716 failed | 01a1ef21-3105-7001-aca4-8da186c2a174   failed",
                "in … (Mon) | in 3 h 12 min (Mon)",
                "…\\nb | a\\nb",
                "… | ",
                "a\\n…\\nc | a\\nb\\nb\\nc",
                "{\"a\":1} | {\"a\":1,\"b\":2}",
                "{\"a\":1,\\n  \"b\":2} | {\"a\":1,\"b\":2}",
                "{\"a\":[{\"b\":1}]} | {\"a\":[{\"b\":1},{\"b\":2}]}",
                "{\"at\":\"2026-11-16T05:33:46.113424Z\"} | {\"at\":\"2030-01-01T00:00:00Z\"}",
            })
    void accepts(String page, @Nullable String printed) {
        assertThat(DocOutput.matches(lines(page), lines(printed))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit code 5 | exit code 6",
                "a | a\\nb",
                "a\\nb | a",
                "…\\nb | a\\nc",
                "{\"a\":1} | {\"a\":2}",
                "{\"a\":1} | {\"b\":1}",
                "{\"a\":[1,2]} | {\"a\":[1]}",
                "{\"a\":1} | a",
            })
    void rejects(String page, String printed) {
        assertThat(DocOutput.matches(lines(page), lines(printed))).isFalse();
    }

    private static String lines(@Nullable String text) {
        return text == null ? "" : text.replace("\\n", "\n");
    }
}
