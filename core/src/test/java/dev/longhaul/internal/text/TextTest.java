package dev.longhaul.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.Failure;
import dev.longhaul.job.Limits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.25S, 250 ms",
        "PT2S, 2 s",
        "PT1H, 1 h",
        "PT1H30M, 1 h 30 min",
        "PT61.5S, 1 min 1 s 500 ms",
        "P7D, 7 d",
        "PT-5S, -5 s"
    })
    void of_a_duration_has_its_units(Duration duration, String text) {
        assertThat(Text.of(duration)).isEqualTo(text);
    }

    @Nested
    class Storable {
        @ParameterizedTest
        @ValueSource(strings = {"", "plain", "Grüße", "👋", "a👋b👋", "\u0001\t\n", "\ufffd\uffff"})
        void is_all_valid_unicode_text(String text) {
            assertThat(Text.storable(text)).isTrue();
            assertThat(Text.storableOf(text, 100)).isSameAs(text);
        }

        @ParameterizedTest(name = "{index}")
        @ValueSource(
                strings = {"\u0000", "a\u0000b", "\ud83d", "\udc4b", "\udc4b\ud83d", "👋\ud83d", "\ud83d\ud83d\udc4b"})
        void is_neither_nul_nor_half_a_pair(String text) {
            assertThat(Text.storable(text)).isFalse();
            assertThat(Text.storable(Text.storableOf(text, 100))).isTrue();
        }
    }

    @Nested
    class Replaced {
        @Test
        void keeps_storable_characters() {
            assertThat(Text.storableOf("a\u0000b\ud83dc👋\udc4b", 100)).isEqualTo("a\ufffdb\ufffdc👋\ufffd");
        }

        @Test
        void is_cut_to_its_limit_without_leaving_half_a_pair() {
            assertThat(Text.storableOf("abcdef", 3)).isEqualTo("abc");
            assertThat(Text.storableOf("ab👋", 3)).isEqualTo("ab\ufffd");
        }
    }

    @Nested
    class Length {
        @ParameterizedTest
        @ValueSource(strings = {"", "plain", "Grüße", "€", "👋 a👋b", "\uffff"})
        void is_that_of_its_bytes(String text) {
            assertThat(Text.utf8Length(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
        }
    }

    @Nested
    class Failures {
        @Test
        void can_always_be_stored() {
            var failure = new Failure("exception", "a\u0000" + "x".repeat(10_000), "t\ud83d", "s".repeat(100_000));

            assertThat(failure.message()).hasSize(Limits.ERROR_MESSAGE).startsWith("a\ufffdx");
            assertThat(failure.type()).isEqualTo("t\ufffd");
            assertThat(failure.stack()).hasSize(Limits.STACK);
        }

        @Test
        void of_an_exception_without_a_message_contain_its_type() {
            Failure failure = Failure.of(new IllegalStateException());

            assertThat(failure.code()).isEqualTo(Failure.EXCEPTION);
            assertThat(failure.message()).isEqualTo("java.lang.IllegalStateException");
            assertThat(failure.stack()).contains("TextTest");
        }
    }

    @Test
    void finds_half_a_pair_among_the_escapes_of_json() {
        assertThat(Text.wholePairs("{\"a\":\"\\ud83d\\ude00 \\u0020\"}")).isTrue();
        assertThat(Text.wholePairs("\"\\\\ud83d \\u0041\"")).isTrue();
        assertThat(Text.wholePairs("\"\\ud83d\"")).isFalse();
        assertThat(Text.wholePairs("\"\\uDE00\"")).isFalse();
        assertThat(Text.wholePairs("\"\\ud83d\\u0041\"")).isFalse();
        assertThat(Text.wholePairs("\"\\ud83")).isTrue();
    }
}
