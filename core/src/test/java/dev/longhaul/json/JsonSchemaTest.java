package dev.longhaul.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Limits;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonSchemaTest {
    enum Preset {
        FAST,
        SLOW
    }

    record Size(int width, int height) {}

    record Encode(
            String url,
            Preset preset,
            List<Size> sizes,
            @Nullable Size cut) {}

    record Login(String user, @Secret String password) {}

    record Backup(
            Login login,
            Map<String, Login> others,
            @Nullable Login spare,
            @Secret @Nullable Size shape) {}

    private static List<String> problems(JsonSchema schema, String json) {
        return schema.problems("params", json).stream()
                .map(FieldError::toString)
                .toList();
    }

    @Nested
    class Problems {
        private final JsonSchema schema = JsonSchema.of(Encode.class);

        @Test
        void are_none_when_the_text_fits() {
            assertThat(problems(schema, "{\"url\":\"a\",\"preset\":\"FAST\",\"sizes\":[{\"width\":1,\"height\":2}]}"))
                    .isEmpty();
        }

        @Test
        void include_wrong_types_missing_fields_unknown_fields_and_enums_at_once() {
            assertThat(problems(schema, "{\"url\":5,\"preset\":\"MEDIUM\",\"siezs\":[]}"))
                    .containsExactlyInAnyOrder(
                            "params.url: 5 (expected: string)",
                            "params.preset: \"MEDIUM\" (expected: one of FAST, SLOW)",
                            "params.sizes: missing (expected: required)",
                            "params.siezs: [] (expected: no such field (known: url, preset, sizes, cut))");
        }

        @Test
        void name_the_place_inside_objects_and_arrays() {
            assertThat(problems(schema, """
                    {"url":"a","preset":"FAST","sizes":[{"width":1,"height":2},{"width":1,"height":2.5}],\
                    "cut":{"width":"wide","height":3000000000}}"""))
                    .containsExactly(
                            "params.sizes[1].height: 2.5 (expected: integer)",
                            "params.cut.width: \"wide\" (expected: integer)",
                            "params.cut.height: 3000000000 (expected: <= 2147483647)");
        }

        @Test
        void name_both_kinds_where_null_may_stand() {
            assertThat(problems(schema, "{\"url\":\"a\",\"preset\":\"FAST\",\"sizes\":[],\"cut\":7}"))
                    .containsExactly("params.cut: 7 (expected: null or object)");
        }

        @Test
        void quote_odd_names() {
            assertThat(problems(JsonSchema.of(Size.class), "{\"width\":1,\"height\":2,\"a.b \\\"c\\\"\":1}"))
                    .containsExactly("params[\"a.b \\\"c\\\"\"]: 1 (expected: no such field (known: width, height))");
            assertThat(schema.problems("", "{\"url\":\"a\",\"preset\":\"FAST\"}"))
                    .containsExactly(new FieldError("sizes", "missing", "required"));
        }

        @Test
        void keep_64_bit_integers_apart() {
            var exact = JsonSchema.parse("{\"const\":9007199254740993}");

            assertThat(problems(exact, "9007199254740993")).isEmpty();
            assertThat(problems(exact, "9007199254740992"))
                    .containsExactly("params: 9007199254740992 (expected: exactly 9007199254740993)");
            assertThat(problems(JsonSchema.of(long.class), "9223372036854775807"))
                    .isEmpty();
            assertThat(problems(JsonSchema.of(long.class), "9223372036854775808"))
                    .containsExactly("params: 9223372036854775808 (expected: <= 9223372036854775807)");
            assertThat(problems(JsonSchema.of(int.class), "1e20")).hasSize(1);
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                        {"maximum":100}                    | 101         | <= 100
                        {"minimum":1}                      | 0           | >= 1
                        {"exclusiveMaximum":1}             | 1           | < 1
                        {"exclusiveMinimum":1}             | 1           | > 1
                        {"multipleOf":5}                   | 7           | a multiple of 5
                        {"minLength":2}                    | "a"         | at least 2 characters
                        {"maxLength":1}                    | "ab"        | at most 1 character
                        {"minItems":1}                     | []          | at least 1 item
                        {"maxItems":1}                     | [1,2]       | at most 1 item
                        {"uniqueItems":true}               | [1,1]       | unique items
                        {"minProperties":1}                | {}          | at least 1 field
                        {"maxProperties":0}                | {"a":1}     | at most 0 fields
                        {"const":"a"}                      | "b"         | exactly a
                        {"enum":["a",1,null]}              | "b"         | one of a, 1, null
                        {"type":["string","null"]}         | 1           | string or null
                        {"anyOf":[{"type":"string"},{"type":"boolean"}]} | 1 | string or boolean
                        {"oneOf":[{"minimum":1},{"maximum":5}]} | 3      | exactly one of the alternatives of the schema
                        {"not":{"type":"string"}}          | "a"         | a value that the schema does not exclude
                        {"format":"email"}                 | "a"         | email
                        {"format":"uuid"}                  | "a"         | uuid such as 0190f5e4-7f3a-7cc1-9d2e-3b1f6a7c8d9e
                        false                              | 1           | nothing
                        """)
        void describe_the_expectation_in_a_few_words(String schema, String json, String expected) {
            assertThat(JsonSchema.parse(schema).problems("params", json))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.field()).isEqualTo("params"))
                    .satisfies(problem -> assertThat(problem.value()).isEqualTo(json))
                    .satisfies(problem -> assertThat(problem.expected()).isEqualTo(expected));
        }

        @Test
        void name_a_field_that_another_one_needs() {
            var schema = JsonSchema.parse("{\"dependentRequired\":{\"card\":[\"address\"]}}");

            assertThat(problems(schema, "{\"card\":1}"))
                    .containsExactly("params.address: missing (expected: required beside card)");
        }

        @Test
        void are_50_at_most() {
            String json = Json.write(IntStream.range(0, 1000).boxed().toList());

            assertThat(JsonSchema.of(String[].class).problems("params", json)).hasSize(50);
        }
    }

    @Nested
    class TextThatIsNotJson {
        private final JsonSchema anything = JsonSchema.parse("true");

        @ParameterizedTest
        @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                        {"a":1,}            | not JSON at line 1, column
                        {"a":               | JSON that ends too early at line 1, column
                        {"a":1,"a":2}       | the same key twice at line 1, column
                        {} {}               | not JSON at line 1, column
                        [NaN]               | not JSON at line 1, column
                        'a'                 | not JSON at line 1, column
                        ``                  | no text
                        1e999999999         | JSON beyond its limits
                        """)
        void is_one_problem_with_its_place(String json, String value) {
            assertThat(anything.problems("params", json))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.field()).isEqualTo("params"))
                    .satisfies(problem -> assertThat(problem.value()).startsWith(value));
        }

        @Test
        void is_not_quoted() {
            assertThat(problems(anything, "{\"password\":hunter2}").toString()).doesNotContain("hunter2");
        }

        @Test
        void may_be_nested_too_deeply() {
            assertThat(problems(anything, "[".repeat(65) + "]".repeat(65)))
                    .singleElement()
                    .asString()
                    .contains("at most 64 levels");
            assertThat(problems(anything, "[".repeat(100_000))).hasSize(1);
        }
    }

    @Nested
    class Secrets {
        private static final String SECRET = "hunter2";
        private final JsonSchema schema = JsonSchema.of(Backup.class);

        @Test
        void are_masked_where_they_belong() {
            String json =
                    "{\"login\":{\"user\":1,\"password\":[\"hunter2\"]},\"others\":{},\"shape\":{\"width\":\"hunter2\"}}";

            assertThat(problems(schema, json))
                    .containsExactlyInAnyOrder(
                            "params.login.user: 1 (expected: string)",
                            "params.login.password: *** (expected: string)",
                            "params.shape.width: *** (expected: integer)",
                            "params.shape.height: *** (expected: required)");
        }

        @Test
        void are_masked_in_what_is_around_them() {
            var schema = JsonSchema.parse("""
                    {"maxProperties":1,"properties":{"user":{},"list":{"items":{"$ref":"#/$defs/p"}}},\
                    "$defs":{"p":{"anyOf":[{"type":"null"},{"writeOnly":true}]}}}""");

            assertThat(problems(schema, "{\"user\":\"u\",\"list\":[\"hunter2\",{\"a\":\"hunter2\"}]}"))
                    .containsExactly("params: {\"user\":\"u\",\"list\":[\"***\",\"***\"]} (expected: at most 1 field)");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"login\":{\"user\":\"u\",\"pasword\":\"hunter2\"},\"others\":{}}",
                    "{\"login\":\"hunter2\",\"others\":\"hunter2\",\"spare\":\"hunter2\"}",
                    "{\"login\":[{\"user\":\"u\",\"password\":\"hunter2\"}],\"others\":[\"hunter2\"]}",
                    "{\"login\":{\"user\":{\"password\":\"hunter2\"},\"password\":1},\"others\":{}}",
                    "{\"others\":{\"a\":{\"password\":{\"b\":\"hunter2\"}}},\"spare\":{\"password\":{\"b\":\"hunter2\"}}}",
                    "{\"password\":\"hunter2\"}",
                    "[\"hunter2\"]",
                    "\"hunter2\"",
                    "hunter2"
                })
        void are_not_quoted_from_the_wrong_place_either(String json) {
            assertThat(schema.problems("params", json)).isNotEmpty();
            assertThat(problems(schema, json).toString()).doesNotContain(SECRET);
            assertThat(schema.redacted(json)).doesNotContain(SECRET);
        }

        @Test
        void are_redacted_and_all_else_is_kept() {
            String json =
                    "{\"login\":{\"user\":\"u\",\"password\":\"hunter2\"},\"others\":{\"a\":{\"user\":\"v\",\"password\":\"hunter2\"}},"
                            + "\"spare\":null,\"shape\":{\"width\":1,\"height\":2}}";

            assertThat(schema.redacted(json)).isEqualTo("""
                    {"login":{"user":"u","password":"***"},"others":{"a":{"user":"v","password":"***"}},\
                    "spare":null,"shape":"***"}""");
        }

        @Test
        void leave_fields_alone_that_an_open_schema_does_not_mention() {
            var open = JsonSchema.parse("{\"properties\":{\"password\":{\"writeOnly\":true}}}");

            assertThat(open.redacted("{\"password\":\"hunter2\",\"size\":9007199254740993,\"price\":1.10}"))
                    .isEqualTo("{\"password\":\"***\",\"size\":9007199254740993,\"price\":1.10}");
        }

        @Test
        void can_be_everything() {
            var all = JsonSchema.parse("{\"writeOnly\":true,\"type\":\"string\"}");

            assertThat(all.redacted("\"hunter2\"")).isEqualTo("\"***\"");
            assertThat(problems(all, "[\"hunter2\"]")).containsExactly("params: *** (expected: string)");
        }

        @Test
        void that_do_not_exist_leave_the_text_as_it_is() {
            assertThat(JsonSchema.of(Size.class).redacted("{ \"width\": 1 }")).isEqualTo("{ \"width\": 1 }");
        }
    }

    @Nested
    class AcceptsAll {
        @ParameterizedTest
        @ValueSource(
                strings = {"true", "{}", "{\"title\":\"t\",\"description\":\"d\",\"$defs\":{\"a\":{\"type\":\"null\"}}}"
                })
        void is_true_where_the_schema_requires_nothing(String schema) {
            assertThat(JsonSchema.parse(schema).acceptsAll()).isTrue();
        }

        @ParameterizedTest
        @ValueSource(strings = {"false", "{\"type\":\"object\"}", "{\"required\":[\"a\"]}", "{\"unheardOf\":1}"})
        void is_false_otherwise(String schema) {
            assertThat(JsonSchema.parse(schema).acceptsAll()).isFalse();
        }
    }

    @Nested
    class Parse {
        @Test
        void keeps_the_order_and_drops_white_space() {
            assertThat(JsonSchema.parse("{ \"type\" : \"object\",\n \"b\": 1.10, \"a\": 2 }")
                            .text())
                    .isEqualTo("{\"type\":\"object\",\"b\":1.10,\"a\":2}");
            assertThat(JsonSchema.parse("{ \"type\": \"null\" }")).isEqualTo(JsonSchema.parse("{\"type\":\"null\"}"));
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                        {"type":"strng"}                               | schema.type: "strng" (expected: one of array, boolean, integer, null, number, object, string)
                        {"minimum":"1"}                                | schema.minimum: "1" (expected: number)
                        []                                             | schema: [] (expected: object or boolean)
                        {"properties":{"a":{"pattern":"(a+)+"}}}       | schema.properties.a.pattern: "(a+)+" (expected: no regular expressions)
                        {"patternProperties":{"a+":{}}}                | schema.patternProperties: {"a+":{}} (expected: no regular expressions)
                        {"$ref":"https://example.org/a"}               | schema.$ref: "https://example.org/a" (expected: # or #/… without % escapes)
                        {"items":{"$ref":"other.json#/a"}}             | schema.items.$ref: "other.json#/a" (expected: # or #/… without % escapes)
                        {"$ref":"#anchor"}                             | schema.$ref: "#anchor" (expected: # or #/… without % escapes)
                        {"$ref":"#/$defs/none"}                        | schema.$ref: "#/$defs/none" (expected: a schema inside this document)
                        {"$ref":"#/default","default":{}}              | schema.$ref: "#/default" (expected: a schema inside this document)
                        {"$dynamicRef":"#a"}                           | schema.$dynamicRef: "#a" (expected: $ref of the form #/…)
                        {"properties":{"a":{"$id":"b"}}}               | schema.properties.a.$id: "b" (expected: $id only at the top)
                        {"$schema":"http://json-schema.org/draft-07/schema#"} | schema.$schema: "http://json-schema.org/draft-07/schema#" (expected: https://json-schema.org/draft/2020-12/schema)
                        {"$ref":"#"}                                   | schema.$ref: a circular reference (expected: references that end)
                        {"items":{"allOf":[{"$ref":"#/items"}]}}       | schema.items.allOf[0].$ref: a circular reference (expected: references that end)
                        """)
        void rejects_with_place_value_and_expectation(String schema, String message) {
            assertThatThrownBy(() -> JsonSchema.parse(schema))
                    .asInstanceOf(type(LonghaulException.class))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .satisfies(e -> assertThat(e.errors()).hasSize(1))
                    .satisfies(e -> assertThat(e).hasMessage(message));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"properties\":{\"pattern\":{\"type\":\"string\"},\"$ref\":{\"type\":\"string\"}}}",
                    "{\"const\":{\"pattern\":\"a\",\"$ref\":\"https://example.org\"}}",
                    "{\"default\":{\"$id\":\"a\"},\"examples\":[{\"pattern\":1}]}",
                    "{\"properties\":{\"next\":{\"$ref\":\"#\"}}}",
                    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"format\":\"colour\"}"
                })
        void accepts_those_words_as_names_and_data(String schema) {
            assertThat(JsonSchema.parse(schema).text()).isEqualTo(schema);
        }

        @Test
        void accepts_an_id_at_the_top_without_resolving_it() {
            var schema = JsonSchema.parse("""
                    {"$id":"https://example.org/s","$defs":{"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/n"}}}""");

            assertThat(schema.text()).contains("https://example.org/s");
            assertThat(problems(schema, "{\"a\":\"b\"}")).containsExactly("params.a: \"b\" (expected: integer)");
        }

        @Test
        void rejects_text_that_is_not_json() {
            assertThatThrownBy(() -> JsonSchema.parse("{\"type\":\n"))
                    .hasMessageStartingWith("schema: JSON that ends too early at line 2");
        }

        @Test
        void refuses_more_than_64_kib() {
            String large = "{\"description\":\"" + "ä".repeat(32 * 1024) + "\"}";

            assertThatThrownBy(() -> JsonSchema.parse(large))
                    .hasMessage("schema: 65554 bytes (expected: <= 65536 bytes)");
        }

        @Test
        void refuses_more_than_32_levels() {
            String deepest = "{\"items\":".repeat(32) + "true" + "}".repeat(32);

            assertThat(JsonSchema.parse(deepest).text()).isEqualTo(deepest);
            assertThatThrownBy(() -> JsonSchema.parse("{\"items\":" + deepest + "}"))
                    .hasMessage("schema: 33 levels (expected: <= 32 levels)");
        }

        @Test
        void reports_every_problem_at_once() {
            assertThatThrownBy(
                            () -> JsonSchema.parse("{\"pattern\":\"a\",\"items\":{\"pattern\":\"b\",\"$ref\":\"x\"}}"))
                    .asInstanceOf(type(LonghaulException.class))
                    .satisfies(e -> assertThat(e.errors()).hasSize(3));
        }
    }

    @Nested
    class Work {
        @Test
        void ends_even_if_a_schema_doubles_it_at_every_level() {
            var doubling =
                    JsonSchema.parse("{\"type\":\"array\",\"items\":{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}}");
            String json = "[".repeat(60) + "1" + "]".repeat(60);

            assertThat(problems(doubling, json))
                    .containsExactly("params: too much to check (expected: a value that its schema can check in time)");
        }

        @Test
        void is_possible_for_the_largest_params() {
            String json = "[" + "1,".repeat(Limits.JSON_BYTES / 2 - 2) + "1]";

            assertThat(JsonSchema.of(long[].class).problems("params", json)).isEmpty();
        }

        @Test
        void is_done_by_many_threads_with_one_schema() throws Exception {
            var schema = JsonSchema.of(Backup.class);
            Callable<List<String>> work = () -> problems(schema, "{\"login\":{\"user\":1},\"others\":{\"a\":5}}");
            List<String> expected = work.call();
            var threads = Executors.newFixedThreadPool(4);
            try {
                for (var result : threads.invokeAll(Collections.nCopies(200, work))) {
                    assertThat(result.get()).isEqualTo(expected).hasSize(3);
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
