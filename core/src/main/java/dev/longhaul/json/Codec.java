package dev.longhaul.json;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.DefaultDeserializationContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of one Java type to JSON text and back, and holds the schema of that text. Create it once.
 *
 * <p>Text may come from another version of the code, so reading ignores fields that the type does not have (unless
 * {@link #strict}); missing fields are empty or null where the type declares them {@code Optional} or
 * {@code Nullable}.
 */
public final class Codec<T extends @Nullable Object> {
    /** The name of the value in errors of {@link #read}. */
    public static final String READ = "value";

    private final JavaType type;
    private final Supplier<JsonSchema> makeSchema;
    private final boolean strict;
    private volatile @Nullable JsonSchema schema;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    private Codec(JavaType type, ObjectReader reader, Supplier<JsonSchema> makeSchema, boolean strict) {
        this.type = type;
        this.makeSchema = makeSchema;
        this.strict = strict;
        this.writer = Json.mapper().writerFor(type);
        this.reader = strict
                ? reader.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                : reader.without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    }

    /** A codec whose schema is generated from the type on first use: not every process needs it. */
    public static <T extends @Nullable Object> Codec<T> of(Class<T> type) {
        return of(TypeRef.of(type));
    }

    /** As {@link #of(Class)}, for a type with type arguments. */
    public static <T extends @Nullable Object> Codec<T> of(TypeRef<T> type) {
        JavaType java = Json.mapper().constructType(type.type());
        return new Codec<>(java, RequiredComponents.reader(java), () -> JsonSchema.of(type.type()), false);
    }

    /** A codec with a schema written by hand, which alone decides which fields are required. */
    public static <T extends @Nullable Object> Codec<T> of(Class<T> type, JsonSchema given) {
        return of(TypeRef.of(type), given);
    }

    /** As {@link #of(Class, JsonSchema)}, for a type with type arguments. */
    public static <T extends @Nullable Object> Codec<T> of(TypeRef<T> type, JsonSchema given) {
        JavaType java = Json.mapper().constructType(type.type());
        return new Codec<>(java, Json.mapper().readerFor(java), () -> given, false);
    }

    /** This codec, but reading rejects fields that the type does not have. */
    public Codec<T> strict() {
        return new Codec<>(type, reader, makeSchema, true);
    }

    /** The value as JSON text that every store keeps exactly; not checked against the schema. */
    public String write(@Nullable T value) {
        return Json.write(writer, type.getRawClass(), value);
    }

    /**
     * The value of the text, {@code null} for {@code null}; not checked against the schema. Throws INVALID_ARGUMENT
     * when the text does not fit the type, FAILED_PRECONDITION when it fits but a constructor rejects the value.
     */
    public @Nullable T read(String json) {
        return Json.read(reader, type.getRawClass(), json, this::schema, strict);
    }

    /** Whether text can become a value: a class needs a constructor that can be called, as every record has. */
    public boolean readable() {
        var config = Json.mapper().getDeserializationConfig();
        var context =
                ((DefaultDeserializationContext) Json.mapper().getDeserializationContext()).createDummyInstance(config);
        try {
            return !(context.findRootValueDeserializer(type) instanceof BeanDeserializerBase bean)
                    || bean.getValueInstantiator().canInstantiate();
        } catch (JsonMappingException e) {
            return false;
        }
    }

    public JsonSchema schema() {
        JsonSchema made = schema;
        if (made == null) {
            made = makeSchema.get();
            schema = made;
        }
        return made;
    }

    /** The Java type, without its type arguments. */
    public Class<?> type() {
        return type.getRawClass();
    }
}
