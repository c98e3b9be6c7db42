package dev.longhaul.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Formats of JSON Schema, with values chosen by callers. */
class FormatsTest {
    private static final int LARGE = 250_000;

    private static List<?> problems(String format, String value) {
        return JsonSchema.parse("{\"format\":\"" + format + "\"}").problems("params", Json.write(value));
    }

    @Nested
    class LargeValues {
        /** Far above what a linear check needs on a busy machine, far below what the attacks took. */
        private static final Duration PATIENCE = Duration.ofSeconds(30);

        private static Stream<String> attacks() {
            return Stream.of(
                            "a", "/a", "~0", "{a}", "{", "(", "a.", "::", "a@", "%41", "(a*)*", "[a-z]", "P1D", "1",
                            "-")
                    .map(text -> text.repeat(LARGE / text.length()));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "regex",
                    "uri-template",
                    "json-pointer",
                    "relative-json-pointer",
                    "uri",
                    "uri-reference",
                    "iri",
                    "iri-reference",
                    "email",
                    "idn-email",
                    "hostname",
                    "idn-hostname",
                    "ipv4",
                    "ipv6",
                    "uuid",
                    "date",
                    "time",
                    "date-time",
                    "duration",
                    "date-time-local",
                    "time-local"
                })
        void are_checked_in_time_and_without_overflowing_the_stack(String format) {
            assertTimeoutPreemptively(
                    PATIENCE,
                    () -> attacks()
                            .forEach(attack ->
                                    assertThat(problems(format, attack)).isNotNull()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "json-pointer, '', true",
        "json-pointer, /a/~0b/~1/0, true",
        "json-pointer, a, false",
        "json-pointer, /a~, false",
        "json-pointer, /a~2, false",
        "relative-json-pointer, 0, true",
        "relative-json-pointer, 1/a, true",
        "relative-json-pointer, 12#, true",
        "relative-json-pointer, 01/a, false",
        "relative-json-pointer, /a, false",
        "relative-json-pointer, 1#a, false",
        "relative-json-pointer, '', false",
        "uri-template, 'https://example.org/{+path}/x{?q*,lang:3}', true",
        "uri-template, plain, true",
        "uri-template, 'a b', false",
        "uri-template, /{a, false",
        "uri-template, /a}, false",
        "uri-template, '/{}', false",
        "uri-template, '/{a{b}}', false",
    })
    void pointers_and_templates_are_distinguished_from_other_text(String format, String value, boolean fits) {
        assertThat(problems(format, value).isEmpty()).isEqualTo(fits);
    }

    @Test
    void a_regular_expression_may_be_any_text() {
        assertThat(problems("regex", "(unclosed")).isEmpty();
    }
}
