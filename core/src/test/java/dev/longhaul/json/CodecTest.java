package dev.longhaul.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Text;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class CodecTest {
    record Encode(String url, long size) {}

    record Nothing() {}

    record Ratio(double ratio, List<Float> more) {}

    record Port(int port) {
        Port {
            if (port < 1) {
                throw new IllegalArgumentException("port >= 1");
            }
        }
    }

    record Login(String user, @Secret String password) {
        Login {
            if (password.length() < 3) {
                throw new IllegalArgumentException("too short: " + password);
            }
        }
    }

    static final class Opaque {}

    static final class Node {
        public @Nullable Node next;
        public @Nullable Node other;
    }

    record Broken(boolean open) {
        @Override
        public boolean open() {
            if (!open) {
                throw new IllegalStateException("closed");
            }
            return true;
        }
    }

    @Nested
    class Write {
        @Test
        void gives_text_that_reads_back_as_the_value() {
            var codec = Codec.of(Encode.class);
            var value = new Encode("https://example.org", 9007199254740993L);

            String text = codec.write(value);

            assertThat(text).isEqualTo("{\"url\":\"https://example.org\",\"size\":9007199254740993}");
            assertThat(codec.read(text)).isEqualTo(value);
            assertThat(codec.schema().problems("params", text)).isEmpty();
            assertThat(codec.type()).isEqualTo(Encode.class);
        }

        @Test
        void writes_a_record_without_components() {
            assertThat(Codec.of(Nothing.class).write(new Nothing())).isEqualTo("{}");
            assertThat(Codec.of(Nothing.class).read("{}")).isEqualTo(new Nothing());
        }

        @Test
        void gives_text_that_every_store_keeps() {
            String text = Codec.of(String.class).write("nul \0, smile \uD83D\uDE00");

            assertThat(Text.storable(text)).isTrue();
            assertThat(Codec.of(String.class).read(text)).isEqualTo("nul \0, smile \uD83D\uDE00");
        }

        @Test
        void refuses_half_a_surrogate_pair() {
            var codec = Codec.of(Encode.class);

            assertThatThrownBy(() -> codec.write(new Encode("\uD83D", 1)))
                    .hasMessage(Encode.class + ": holds text with half a surrogate pair, which no store can keep");
        }

        @Test
        void refuses_a_type_without_properties() {
            assertThatThrownBy(() -> Codec.of(Opaque.class).write(new Opaque()))
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessage(Opaque.class + ": has no properties to write; make it a record, or give it getters");
            assertThatThrownBy(() -> Codec.of(Map.class).write(Map.of("a", List.of(new Opaque()))))
                    .hasMessageContaining("a[0] is " + Opaque.class + ", which has no properties to write");
        }

        @Test
        void refuses_a_cycle() {
            var self = new Node();
            self.next = self;
            var one = new Node();
            one.next = new Node();
            one.next.other = one;

            assertThatThrownBy(() -> Codec.of(Node.class).write(self))
                    .hasMessage(Node.class + ": next refers to itself, which JSON cannot show");
            assertThatThrownBy(() -> Codec.of(Node.class).write(one))
                    .hasMessageStartingWith(
                            Node.class + ": nests deeper than 64 levels, most likely because it refers to"
                                    + " itself (next.other.next.other");
        }

        @Test
        void rejects_numbers_that_are_not_finite() {
            var codec = Codec.of(Ratio.class);

            assertThatThrownBy(() -> codec.write(new Ratio(Double.NaN, List.of())))
                    .hasMessage(Ratio.class + ": ratio is NaN, which JSON cannot represent");
            assertThatThrownBy(() -> codec.write(new Ratio(1, List.of(Float.POSITIVE_INFINITY))))
                    .hasMessage(Ratio.class + ": more[0] is Infinity, which JSON cannot represent");
            assertThatThrownBy(() -> Codec.of(double[].class).write(new double[] {1, Double.NaN}))
                    .hasMessageContaining("is NaN");
        }

        @Test
        void reports_the_exception_of_a_getter() {
            assertThatThrownBy(() -> Codec.of(Broken.class).write(new Broken(false)))
                    .hasMessage(Broken.class + ": open cannot be written: java.lang.IllegalStateException: closed");
        }
    }

    @Nested
    class Null {
        @Test
        void is_the_text_null() {
            assertThat(Codec.of(Encode.class).write(null)).isEqualTo("null");
            assertThat(Codec.of(Encode.class).read("null")).isNull();
            assertThat(Codec.of(Void.class).write(null)).isEqualTo("null");
            assertThat(Codec.of(Void.class).read("null")).isNull();
        }

        @Test
        void is_the_only_value_of_void() {
            assertThatThrownBy(() -> Codec.of(Void.class).read("3")).hasMessage("value: 3 (expected: null)");
        }
    }

    @Nested
    class Read {
        @Test
        void reports_every_problem_with_its_place() {
            assertThatThrownBy(() -> Codec.of(Encode.class).strict().read("{\"size\":\"big\",\"urll\":\"a\"}"))
                    .asInstanceOf(type(LonghaulException.class))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .extracting(LonghaulException::errors)
                    .isEqualTo(List.of(
                            new FieldError("value.size", "\"big\"", "integer"),
                            new FieldError("value.url", "missing", "required"),
                            new FieldError("value.urll", "***", "no such field (known: url, size)")));
        }

        @Test
        void reports_what_the_type_rejects_although_the_schema_accepts_it() {
            var lenient = Codec.of(Encode.class, JsonSchema.parse("true"));

            assertThatThrownBy(() -> lenient.read("{\"url\":\"a\",\"size\":[]}"))
                    .hasMessage(
                            "value.size: [] (expected: integer from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE + ")");
            assertThatThrownBy(() -> lenient.strict().read("{\"url\":\"a\",\"size\":1,\"b\":2}"))
                    .hasMessage("value.b: *** (expected: no such field (known: size, url))");
            assertThatThrownBy(() -> Codec.of(Port.class).read("{\"port\":0}"))
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                    .hasMessage("value: {\"port\":0} (expected: port >= 1)");
        }

        @Test
        void reports_where_text_is_not_json() {
            assertThatThrownBy(() -> Codec.of(Encode.class).read("{\"url\":\n  oops}"))
                    .hasMessageStartingWith("value: not JSON at line 2, column ")
                    .hasMessageNotContaining("oops")
                    .hasNoCause();
        }

        @Test
        void never_quotes_a_secret() {
            var codec = Codec.of(Login.class);
            var lenient =
                    Codec.of(Login.class, JsonSchema.parse("{\"properties\":{\"password\":{\"writeOnly\":true}}}"));

            for (String json : List.of(
                    "{\"user\":\"u\",\"password\":\"h2\"}",
                    "{\"user\":\"u\",\"password\":[\"h2\"]}",
                    "{\"user\":\"u\",\"pasword\":\"h2\"}",
                    "{\"user\":\"u\",\"password\":h2}",
                    "[\"h2\"]",
                    "\"h2\"")) {
                assertThatThrownBy(() -> codec.read(json))
                        .hasMessageNotContaining("h2")
                        .hasNoCause();
                assertThatThrownBy(() -> lenient.read(json))
                        .hasMessageNotContaining("h2")
                        .hasNoCause();
            }
        }
    }

    /** Text that another version of the code has written. */
    @Nested
    class AnotherVersion {
        record Mail(
                String to,
                Optional<String> note,
                OptionalInt copies,
                @Nullable String footer) {}

        record Bag(List<Mail> mails) {}

        record Answers(int copies, boolean urgent) {}

        @Test
        void fields_that_the_type_does_not_have_are_ignored_at_any_depth() {
            assertThat(Codec.of(Encode.class).read("{\"url\":\"a\",\"size\":1,\"new\":{\"x\":[1]}}"))
                    .isEqualTo(new Encode("a", 1));
            assertThat(Codec.of(Bag.class).read("{\"mails\":[{\"to\":\"ann\",\"new\":1}],\"more\":null}"))
                    .isEqualTo(new Bag(List.of(new Mail("ann", Optional.empty(), OptionalInt.empty(), null))));
        }

        @Test
        void missing_optional_fields_are_empty_or_null() {
            assertThat(Codec.of(Mail.class).read("{\"to\":\"ann\"}"))
                    .isEqualTo(new Mail("ann", Optional.empty(), OptionalInt.empty(), null));
        }

        @Test
        void a_missing_required_field_is_an_error_that_names_it_and_nothing_else() {
            assertThatThrownBy(() -> Codec.of(Mail.class).read("{\"token\":\"h2\"}"))
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessage("value.to: missing (expected: required)");
            assertThatThrownBy(() -> Codec.of(Bag.class).read("{\"mails\":[{}]}"))
                    .hasMessage("value.mails[0].to: missing (expected: required)");
            assertThatThrownBy(() -> Codec.of(Answers.class).read("{\"copies\":1}"))
                    .hasMessage("value.urgent: missing (expected: required)");
        }

        @Test
        void strict_reading_names_unknown_fields_without_their_values() {
            assertThatThrownBy(() -> Codec.of(Mail.class).strict().read("{\"to\":\"ann\",\"token\":\"h2\"}"))
                    .hasMessage("value.token: *** (expected: no such field (known: to, note, copies, footer))");
        }

        @Test
        void a_schema_written_by_hand_decides_which_fields_are_required() {
            var codec = Codec.of(Mail.class, JsonSchema.parse("{\"type\":\"object\"}"));
            assertThat(codec.read("{}")).extracting("to").isNull();
        }
    }

    @Nested
    class TypeArguments {
        record Page<T>(List<T> items, Optional<T> next) {}

        @Test
        void survive_writing_and_reading() {
            var codec = Codec.of(new TypeRef<List<Encode>>() {});
            var value = List.of(new Encode("a", 1), new Encode("b", 2));

            assertThat(codec.read(codec.write(value))).isEqualTo(value);
        }

        @Test
        void survive_in_records_and_nested() {
            var codec = Codec.of(new TypeRef<Map<String, Page<Encode>>>() {});
            var one = new Encode("a", 1);
            var value = Map.of("first", new Page<>(List.of(one), Optional.of(one)));

            assertThat(codec.read(codec.write(value))).isEqualTo(value);
            assertThat(codec.schema().problems("value", codec.write(value))).isEmpty();
        }

        @Test
        void are_checked_by_the_schema() {
            var codec = Codec.of(new TypeRef<List<Encode>>() {});

            assertThat(codec.schema().problems("value", "[{\"url\":\"a\",\"size\":\"big\"}]"))
                    .containsExactly(new FieldError("value[0].size", "\"big\"", "integer"));
        }

        @Test
        @SuppressWarnings("rawtypes")
        void a_raw_type_reference_is_an_error() {
            assertThatThrownBy(() -> new TypeRef() {}).hasMessageContaining("no type argument");
        }
    }
}
