package dev.longhaul.definition;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns values of one Java type into JSON text and back, and holds the schema that such text fits. Make it once. */
public final class Codec<T> {
    private final Class<T> type;
    private final Supplier<JsonSchema> makeSchema;
    private volatile @Nullable JsonSchema schema;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    private Codec(Class<T> type, Supplier<JsonSchema> makeSchema) {
        this.type = type;
        this.makeSchema = makeSchema;
        this.writer = Json.mapper().writerFor(type);
        this.reader = Json.mapper().readerFor(type);
    }

    /** A codec whose schema is made from the type, when it is first asked for: not every process needs it. */
    public static <T> Codec<T> of(Class<T> type) {
        return new Codec<>(type, () -> JsonSchema.of(type));
    }

    /** A codec whose schema somebody wrote. */
    public static <T> Codec<T> of(Class<T> type, JsonSchema given) {
        return new Codec<>(type, () -> given);
    }

    /** The value as JSON text that every store keeps exactly; not checked against the schema. */
    public String write(@Nullable T value) {
        return Json.write(writer, type, value);
    }

    /** The value that the text holds, {@code null} for {@code null}; not checked against the schema. */
    public @Nullable T read(String json) {
        return Json.read(reader, type, json, this::schema);
    }

    public JsonSchema schema() {
        JsonSchema made = schema;
        if (made == null) {
            made = makeSchema.get();
            schema = made;
        }
        return made;
    }

    public Class<T> type() {
        return type;
    }
}
