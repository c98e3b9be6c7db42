package dev.longhaul.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.longhaul.internal.text.Text;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to JSON text and back: times as ISO-8601, numbers exact. Rejects unknown or duplicate fields,
 * missing primitives, text after the end, NaN and more than {@value #DEEPEST} levels.
 */
public final class Json {
    /**
     * The most levels of nested objects and arrays, the same for reading and writing, so that written text can be read.
     */
    static final int DEEPEST = 64;

    private static final ObjectMapper MAPPER = newMapper();
    private static final ObjectReader TREES = MAPPER.readerFor(JsonNode.class).with(new ExactValues.BoundedNumbers());

    private Json() {}

    /** The value as JSON text that every store keeps exactly. For values of one type, a {@link Codec} is faster. */
    public static String write(@Nullable Object value) {
        return write(MAPPER.writer(), value == null ? Void.class : value.getClass(), value);
    }

    /** The value of {@code json}; {@code null} only for the text {@code null}. */
    public static <T> @Nullable T read(String json, Class<T> type) {
        return read(MAPPER.readerFor(type), type, json, null, true);
    }

    static String write(ObjectWriter writer, Class<?> type, @Nullable Object value) {
        String text;
        try {
            text = writer.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw JsonFailures.unwritable(type, e);
        }
        if (!Text.storable(text)) {
            throw JsonFailures.unwritable(type, "holds text with half a surrogate pair, which no store can keep");
        }
        return text;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // T is set in the reader, not in its declaration.
    static <T> @Nullable T read(
            ObjectReader reader, Class<?> type, String json, @Nullable Supplier<JsonSchema> schema, boolean strict) {
        try {
            return reader.readValue(json);
        } catch (JsonProcessingException e) {
            throw JsonFailures.unreadable(type, json, schema == null ? null : schema.get(), e, strict);
        }
    }

    /** The text as a tree, its numbers exact. */
    public static JsonNode tree(String json) throws JsonProcessingException {
        try {
            JsonNode tree = TREES.readTree(json);
            if (tree.isMissingNode()) {
                throw new JsonFailures.NothingToRead();
            }
            return tree;
        } catch (ExactValues.TooLong e) {
            throw new StreamConstraintsException(e.getMessage());
        }
    }

    static ObjectMapper mapper() {
        return MAPPER;
    }

    private static ObjectMapper newMapper() {
        var factory = JsonFactory.builder()
                .streamReadConstraints(
                        StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
                .streamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(DEEPEST)
                        .build())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .addDecorator((made, generator) -> new ExactValues.FiniteGenerator(generator))
                .build();
        var builder = JsonMapper.builder(factory)
                .addModules(new Jdk8Module(), new JavaTimeModule(), ExactValues.module())
                .addModules(KotlinTypes.modules())
                .disable(
                        SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
                        SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .disable(
                        DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                        DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
                        DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS,
                        DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY,
                        DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .enable(MapperFeature.BLOCK_UNSAFE_POLYMORPHIC_BASE_TYPES)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
        for (var other : List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)) {
            builder.withCoercionConfig(LogicalType.Textual, text -> text.setCoercion(other, CoercionAction.Fail));
        }
        return builder.build();
    }
}
