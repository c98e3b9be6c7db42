package dev.longhaul.json;

import com.fasterxml.jackson.core.JsonGenerationException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ValueNode;
import java.io.IOException;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes Jackson read and write values as JSON Schema defines them: {@code 2.0} is an integer, {@code 2.5} is not, NaN
 * and infinity are not numbers, and only null is a {@code Void}.
 */
final class ExactValues {
    private ExactValues() {}

    static SimpleModule module() {
        var module = new SimpleModule("longhaul");
        integral(module, byte.class, Byte.class, Byte.MIN_VALUE, Byte.MAX_VALUE, n -> (byte) n);
        integral(module, short.class, Short.class, Short.MIN_VALUE, Short.MAX_VALUE, n -> (short) n);
        integral(module, int.class, Integer.class, Integer.MIN_VALUE, Integer.MAX_VALUE, n -> (int) n);
        integral(module, long.class, Long.class, Long.MIN_VALUE, Long.MAX_VALUE, n -> n);
        floating(module, float.class, Float.class, n -> (float) n);
        floating(module, double.class, Double.class, n -> n);
        module.addDeserializer(Void.class, new Nothing());
        array(module, short[].class, Short[].class);
        array(module, int[].class, Integer[].class);
        array(module, long[].class, Long[].class);
        array(module, float[].class, Float[].class);
        array(module, double[].class, Double[].class);
        return module;
    }

    @SuppressWarnings("unchecked") // the deserializer makes exactly this type
    private static void array(SimpleModule module, Class<?> type, Class<?> boxes) {
        module.addDeserializer((Class<Object>) type, new Primitives(type, boxes));
    }

    private static <N extends Number> void integral(
            SimpleModule module, Class<N> primitive, Class<N> boxed, long min, long max, LongFunction<N> cut) {
        String range = "integer from " + min + " to " + max;
        for (Class<N> type : List.of(primitive, boxed)) {
            module.addDeserializer(type, new Numeric<>(type, range, range, parser -> {
                Long value = wholeNumber(parser);
                return value == null || value < min || value > max ? null : cut.apply(value);
            }));
        }
    }

    /** The number, {@code 2.0} too; null when it has a fraction or takes more than 64 bits. */
    private static @Nullable Long wholeNumber(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            return parser.getLongValue();
        }
        try {
            return parser.getDecimalValue().longValueExact();
        } catch (ArithmeticException e) {
            return null;
        }
    }

    private static <N extends Number> void floating(
            SimpleModule module, Class<N> primitive, Class<N> boxed, DoubleFunction<N> cut) {
        for (Class<N> type : List.of(primitive, boxed)) {
            String fitting = "number that fits " + type.getSimpleName();
            module.addDeserializer(type, new Numeric<>(type, "number", fitting, parser -> {
                N value = cut.apply(parser.getDoubleValue());
                return Double.isFinite(value.doubleValue()) ? value : null;
            }));
        }
    }

    /** Reads a number; null when the type does not hold it. */
    private interface Reader<N> {
        @Nullable
        N read(JsonParser parser) throws IOException;
    }

    private static final class Numeric<N extends Number> extends StdScalarDeserializer<N> {
        private static final long serialVersionUID = 1;

        private final String kind;
        private final String fitting;
        private final transient Reader<N> reader;

        Numeric(Class<N> type, String kind, String fitting, Reader<N> reader) {
            super(type);
            this.kind = kind;
            this.fitting = fitting;
            this.reader = reader;
        }

        @Override
        public @Nullable N getNullValue(DeserializationContext context) throws JsonMappingException {
            if (handledType().isPrimitive() && context.isEnabled(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)) {
                throw new Unfit(context.getParser(), "required", handledType());
            }
            return null;
        }

        @Override
        public N deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            boolean numeric = parser.currentToken().isNumeric();
            N value = numeric ? reader.read(parser) : null;
            if (value == null) {
                throw new Unfit(context.getParser(), numeric ? fitting : kind, handledType());
            }
            return value;
        }
    }

    private static final class Nothing extends StdScalarDeserializer<Void> {
        private static final long serialVersionUID = 1;

        Nothing() {
            super(Void.class);
        }

        @Override
        public Void deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            throw new Unfit(parser, "null", Void.class);
        }
    }

    /** Reads arrays of primitives by the rules for their elements; arrays of bytes stay Base64. */
    private static final class Primitives extends StdDeserializer<Object> {
        private static final long serialVersionUID = 1;

        private final Class<?> boxes;

        Primitives(Class<?> type, Class<?> boxes) {
            super(type);
            this.boxes = boxes;
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            var boxed = (@Nullable Object[]) context.readValue(parser, boxes);
            Object array = Array.newInstance(handledType().getComponentType(), boxed.length);
            for (int i = 0; i < boxed.length; i++) {
                if (boxed[i] == null) {
                    throw JsonMappingException.wrapWithPath(new Unfit(parser, "number", handledType()), array, i);
                }
                Array.set(array, i, boxed[i]);
            }
            return array;
        }
    }

    /** Rejects numbers that JSON cannot represent, instead of writing them as text. */
    static final class FiniteGenerator extends JsonGeneratorDelegate {
        FiniteGenerator(JsonGenerator generator) {
            super(generator, false);
        }

        @Override
        public void writeNumber(double value) throws IOException {
            check(value);
            super.writeNumber(value);
        }

        @Override
        public void writeNumber(float value) throws IOException {
            check(value);
            super.writeNumber(value);
        }

        @Override
        public void writeArray(double[] values, int offset, int length) throws IOException {
            for (int i = offset; i < offset + length; i++) {
                check(values[i]);
            }
            super.writeArray(values, offset, length);
        }

        private void check(double value) throws JsonGenerationException {
            if (!Double.isFinite(value)) {
                throw new NotFinite(value, this);
            }
        }
    }

    /** Rejects numbers such as 1e999999999, which are short to write but take forever to calculate with. */
    static final class BoundedNumbers extends JsonNodeFactory {
        private static final long serialVersionUID = 1;

        BoundedNumbers() {
            super(true);
        }

        @Override
        public ValueNode numberNode(BigDecimal value) {
            if (Math.abs((long) value.scale()) > StreamReadConstraints.DEFAULT_MAX_NUM_LEN) {
                throw new TooLong();
            }
            // The validator cuts decimals to 64 bits when it compares them with an integer bound.
            boolean pastLong = value.precision() - value.scale() > 18;
            return pastLong && value.stripTrailingZeros().scale() <= 0
                    ? numberNode(value.toBigIntegerExact())
                    : super.numberNode(value);
        }
    }

    static final class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLong() {
            super("a number with too many digits", null, false, false);
        }
    }

    /** Thrown when the value read does not have the expected type. */
    static final class Unfit extends MismatchedInputException {
        private static final long serialVersionUID = 1;

        Unfit(JsonParser parser, String expected, Class<?> type) {
            super(parser, expected, type);
        }
    }

    static final class NotFinite extends JsonGenerationException {
        private static final long serialVersionUID = 1;

        NotFinite(double value, JsonGenerator generator) {
            super("is " + value + ", which JSON cannot represent", generator);
        }
    }
}
