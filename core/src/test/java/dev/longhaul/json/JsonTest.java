package dev.longhaul.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    enum Preset {
        FAST,
        SLOW
    }

    record Times(Instant at, LocalDate day, Duration length) {}

    record Numbers(long id, BigDecimal price, BigInteger big) {}

    record Encode(
            String url,
            int quality,
            Optional<String> note,
            @Nullable Preset preset) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Ratios(double ratio, double[] more) {}

    @Nested
    class Write {
        @Test
        void writes_times_as_iso_8601() {
            var times = new Times(
                    Instant.parse("2026-01-31T10:00:00Z"), LocalDate.parse("2026-01-31"), Duration.ofSeconds(90));

            assertThat(Json.write(times)).isEqualTo("""
                    {"at":"2026-01-31T10:00:00Z","day":"2026-01-31","length":"PT1M30S"}""");
        }

        @Test
        void keeps_numbers_exact() {
            var numbers = new Numbers(
                    9007199254740993L, new BigDecimal("1.10"), new BigInteger("123456789012345678901234567890"));

            assertThat(Json.write(numbers)).isEqualTo("""
                    {"id":9007199254740993,"price":1.10,"big":123456789012345678901234567890}""");
        }

        @Test
        void escapes_nul_so_that_the_text_can_be_stored() {
            assertThat(Json.write("a\0b")).isEqualTo("\"a\\u0000b\"");
        }

        @Test
        void writes_null_as_null() {
            assertThat(Json.write(null)).isEqualTo("null");
        }
    }

    @Nested
    class Read {
        @Test
        void returns_the_written_value() {
            var times = new Times(
                    Instant.parse("2026-01-31T10:00:00Z"), LocalDate.parse("2026-01-31"), Duration.ofSeconds(90));
            var numbers = new Numbers(
                    9007199254740993L, new BigDecimal("1.10"), new BigInteger("123456789012345678901234567890"));
            var encode = new Encode("a", 3, Optional.of("n"), Preset.SLOW);

            assertThat(Json.read(Json.write(times), Times.class)).isEqualTo(times);
            assertThat(Json.read(Json.write(numbers), Numbers.class)).isEqualTo(numbers);
            assertThat(Json.read(Json.write(encode), Encode.class)).isEqualTo(encode);
        }

        @Test
        void keeps_numbers_exact_where_the_type_says_nothing() {
            assertThat(Json.read("{\"id\":9007199254740993,\"price\":1.10}", Object.class))
                    .isEqualTo(Map.of("id", 9007199254740993L, "price", new BigDecimal("1.10")));
        }

        @Test
        void leaves_missing_optional_fields_empty() {
            assertThat(Json.read("{\"url\":\"a\",\"quality\":3}", Encode.class))
                    .isEqualTo(new Encode("a", 3, Optional.empty(), null));
        }

        @Test
        void takes_whole_decimals_for_integers_as_json_schema_does() {
            assertThat(Json.read("2.0", Integer.class)).isEqualTo(2);
            assertThat(Json.read("[1.0,2e1]", int[].class)).containsExactly(1, 20);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"url\":\"a\",\"quality\":3,\"qualty\":4}",
                    "{\"url\":\"a\"}",
                    "{\"url\":\"a\",\"quality\":null}",
                    "{\"url\":\"a\",\"quality\":3.5}",
                    "{\"url\":\"a\",\"quality\":3000000000}",
                    "{\"url\":\"a\",\"quality\":1e900}",
                    "{\"url\":\"a\",\"quality\":\"3\"}",
                    "{\"url\":5,\"quality\":3}",
                    "{\"url\":\"a\",\"quality\":3,\"preset\":1}",
                    "{\"url\":\"a\",\"quality\":3,\"preset\":\"fast\"}",
                    "{\"url\":\"a\",\"url\":\"b\",\"quality\":3}",
                    "{\"url\":\"a\",\"quality\":3} {}",
                    "{\"url\":\"a\",\"quality\":NaN}",
                    "{\"url\":\"a\",",
                    "",
                    "[]"
                })
        void guesses_nothing(String json) {
            assertThatThrownBy(() -> Json.read(json, Encode.class))
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"ratio\":\"NaN\",\"more\":[]}",
                    "{\"ratio\":1e400,\"more\":[]}",
                    "{\"ratio\":1,\"more\":[\"Infinity\"]}",
                    "{\"ratio\":1,\"more\":[-1e400]}",
                    "{\"ratio\":1,\"more\":[null]}"
                })
        void rejects_numbers_that_are_not_finite(String json) {
            assertThatThrownBy(() -> Json.read(json, Ratios.class)).hasMessageContaining("expected: number");
        }

        @Test
        void never_quotes_the_text_because_it_knows_no_secrets() {
            assertThatThrownBy(() -> Json.read("{\"url\":\"a\",\"quality\":\"hunter2\"}", Encode.class))
                    .hasMessage("value.quality: *** (expected: integer from -2147483648 to 2147483647)")
                    .hasNoCause();
        }
    }

    @Nested
    class Depth {
        @Test
        void reads_and_writes_64_levels() {
            String deepest = "[".repeat(64) + "]".repeat(64);

            assertThat(Json.write(Json.read(deepest, List.class))).isEqualTo(deepest);
        }

        @Test
        void refuses_more() {
            assertThatThrownBy(() -> Json.read("[".repeat(65) + "]".repeat(65), List.class))
                    .hasMessageContaining("at most 64 levels");
        }
    }
}
