package dev.longhaul.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class TypeSchemasTest {
    private static final String DIALECT = "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"";

    enum Preset {
        FAST,
        @JsonProperty("very-slow")
        SLOW
    }

    record Encode(String url, Preset preset, int quality) {}

    record Login(String user, @Secret String password) {}

    /** A third-party declaration annotation. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Nullable {}

    record Choices(
            @org.jspecify.annotations.Nullable String typeUse,
            @Nullable String declared,
            Optional<String> optional,
            OptionalInt count,
            @org.jspecify.annotations.Nullable Preset preset,
            @org.jspecify.annotations.Nullable Login login) {}

    record Tree(
            String name,
            List<Tree> children,
            @org.jspecify.annotations.Nullable Tree next) {}

    record Key(@JsonValue String value) {}

    record Renamed(Key key, @JsonProperty("new") int old) {}

    static final class Bean {
        private String name = "n";
        private String password = "p";
        private int unseen;

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
            this.unseen++;
        }

        @Secret
        public String getPassword() {
            return password;
        }

        public void setPassword(String password) {
            this.password = password + unseen;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Safe.class, name = "safe")
    })
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    record Safe(@Secret String code) implements Shape {}

    record Drawing(List<Shape> shapes) {}

    private static String schema(Class<?> type) {
        String text = JsonSchema.of(type).text();
        // Other processes know the type only by this text, and parse it like a schema written by people.
        assertThat(JsonSchema.parse(text).text()).isEqualTo(text);
        return text;
    }

    @Nested
    class Records {
        @Test
        void require_their_components_in_their_order_and_nothing_else() {
            assertThat(schema(Encode.class)).isEqualTo("{" + DIALECT + """
                    ,"type":"object","properties":{"url":{"type":"string"},"preset":{"enum":["FAST","very-slow"]},\
                    "quality":{"type":"integer","minimum":-2147483648,"maximum":2147483647}},\
                    "required":["url","preset","quality"],"additionalProperties":false}""");
        }

        @Test
        void do_not_require_nullable_or_optional_components() {
            var codec = Codec.of(Choices.class);

            assertThat(codec.schema().text())
                    .doesNotContain("\"required\":[\"typeUse\"")
                    .contains("""
                    "typeUse":{"type":["string","null"]},"declared":{"type":["string","null"]}""");
            assertThat(codec.schema().problems("params", "{}")).isEmpty();
            assertThat(codec.schema().problems("params", codec.write(codec.read("{}"))))
                    .isEmpty();
        }

        @Test
        void mark_secrets_as_write_only() {
            assertThat(schema(Login.class)).contains("\"password\":{\"type\":\"string\",\"writeOnly\":true}");
        }

        @Test
        void may_contain_themselves() {
            var schema = JsonSchema.of(Tree.class);

            assertThat(schema.text()).contains("\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}");
            assertThat(schema.problems("params", """
                    {"name":"a","children":[{"name":"b","children":[]}],"next":{"name":5,"children":[]}}"""))
                    .extracting(Object::toString)
                    .containsExactly("params.next.name: 5 (expected: string)");
        }

        @Test
        void are_named_and_shaped_as_jackson_writes_them() {
            var codec = Codec.of(Renamed.class);

            assertThat(codec.schema().text()).contains("\"key\":{\"type\":\"string\"},\"new\":{\"type\":\"integer\"");
            assertThat(codec.write(new Renamed(new Key("k"), 1))).isEqualTo("{\"key\":\"k\",\"new\":1}");
        }
    }

    @Nested
    class Others {
        @Test
        void beans_show_their_properties_and_stay_open() {
            var schema = JsonSchema.of(Bean.class);

            assertThat(schema.text()).isEqualTo("{" + DIALECT + """
                    ,"type":"object","properties":{"name":{"type":"string"},\
                    "password":{"type":"string","writeOnly":true}},"required":["name","password"]}""");
        }

        @Test
        void polymorphic_types_show_their_subtypes_and_secrets() {
            var codec = Codec.of(Drawing.class);
            String text = codec.write(new Drawing(List.of(new Circle(1), new Safe("4711"))));

            assertThat(codec.schema().problems("params", text)).isEmpty();
            assertThat(codec.schema().redacted(text)).doesNotContain("4711").contains("\"radius\":1");
        }

        @Test
        void void_is_null_only() {
            assertThat(schema(Void.class)).isEqualTo("{" + DIALECT + ",\"type\":\"null\"}");
            assertThat(schema(void.class)).isEqualTo(schema(Void.class));
        }

        @Test
        void objects_and_trees_are_anything() {
            assertThat(JsonSchema.of(Object.class).acceptsAll()).isTrue();
            assertThat(JsonSchema.of(JsonNode.class).acceptsAll()).isTrue();
        }

        @Test
        void maps_lists_arrays_and_simple_values_declare_their_types() {
            assertThat(schema(Map.class)).isEqualTo("{" + DIALECT + ",\"type\":\"object\"}");
            assertThat(schema(List.class)).isEqualTo("{" + DIALECT + ",\"type\":\"array\",\"items\":{}}");
            assertThat(schema(String[].class)).contains("\"type\":\"array\",\"items\":{\"type\":\"string\"}");
            assertThat(schema(String.class)).isEqualTo("{" + DIALECT + ",\"type\":\"string\"}");
            assertThat(schema(boolean.class)).isEqualTo("{" + DIALECT + ",\"type\":\"boolean\"}");
            assertThat(schema(Preset.class)).isEqualTo("{" + DIALECT + ",\"enum\":[\"FAST\",\"very-slow\"]}");
        }
    }

    record Whole(byte tiny, short small, int normal, long large, BigInteger big, char letter, boolean yes) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Broken(float single, double real, BigDecimal exact, double[] reals, byte[] bytes) {}

    record Moments(
            Instant instant,
            OffsetDateTime offset,
            ZonedDateTime zoned,
            LocalDate date,
            LocalDateTime local,
            LocalTime time) {}

    record Spans(
            Duration duration,
            Period period,
            Year year,
            YearMonth month,
            MonthDay day,
            OffsetTime time,
            DayOfWeek weekday) {}

    record Things(
            UUID uuid, ZoneId zone, ZoneOffset offset, Locale locale, Set<Preset> presets, Map<Preset, Long> sizes) {}

    @Nested
    class WhateverIsWritten {
        @Test
        void fits_the_schema_and_reads_back() {
            holds(new Whole(
                    (byte) -1, Short.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, BigInteger.TEN.pow(40), 'c', true));
            holds(new Moments(
                    Instant.parse("2026-01-31T10:00:00.123456789Z"),
                    OffsetDateTime.parse("2026-01-31T10:00:00+01:00"),
                    ZonedDateTime.parse("2026-01-31T10:00:00Z"),
                    LocalDate.parse("2026-01-31"),
                    LocalDateTime.parse("2026-01-31T10:00"),
                    LocalTime.parse("10:00")));
            holds(new Spans(
                    Duration.ofMillis(-1500),
                    Period.of(1, 2, 3),
                    Year.of(2026),
                    YearMonth.of(2026, 1),
                    MonthDay.of(1, 31),
                    OffsetTime.parse("10:00+01:00"),
                    DayOfWeek.MONDAY));
            holds(new Things(
                    UUID.fromString("0190f5e4-7f3a-7cc1-9d2e-3b1f6a7c8d9e"),
                    ZoneId.of("Europe/Berlin"),
                    ZoneOffset.UTC,
                    Locale.GERMANY,
                    Set.of(Preset.SLOW),
                    Map.of(Preset.FAST, 1L)));
        }

        @Test
        void fits_the_schema_also_for_arrays() {
            var codec = Codec.of(Broken.class);
            String text = codec.write(
                    new Broken(1.5f, -0.25, new BigDecimal("1.10"), new double[] {1, 2.5}, new byte[] {1, 2}));

            assertThat(codec.schema().problems("params", text)).isEmpty();
            assertThat(codec.write(codec.read(text))).isEqualTo(text);
        }

        @SuppressWarnings("unchecked")
        private <T> void holds(T value) {
            var codec = Codec.of((Class<T>) value.getClass());
            String text = codec.write(value);

            assertThat(codec.schema().problems("params", text)).isEmpty();
            assertThat(codec.read(text)).isEqualTo(value);
        }
    }

    @Nested
    class Times {
        @Test
        void name_the_required_form() {
            assertThat(JsonSchema.of(Moments.class).problems("params", """
                    {"instant":"yesterday","offset":"2026-01-31T10:00:00","zoned":"2026-01-31T10:00:00Z",\
                    "date":"31.01.2026","local":"2026-01-31T10:00:00Z","time":"10"}"""))
                    .extracting(Object::toString)
                    .containsExactly(
                            "params.instant: \"yesterday\" (expected: date-time such as 2026-01-31T10:00:00Z)",
                            "params.offset: \"2026-01-31T10:00:00\" (expected: date-time such as 2026-01-31T10:00:00Z)",
                            "params.date: \"31.01.2026\" (expected: date such as 2026-01-31)",
                            "params.local: \"2026-01-31T10:00:00Z\" (expected: date-time-local such as 2026-01-31T10:00:00)",
                            "params.time: \"10\" (expected: time-local such as 10:00:00)");
        }
    }
}
