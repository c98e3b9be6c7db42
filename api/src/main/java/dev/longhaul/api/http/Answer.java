package dev.longhaul.api.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes a JSON response field by field. Omits null values, and copies stored JSON unchanged. */
public final class Answer {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator out;

    private Answer(JsonGenerator out) {
        this.out = out;
    }

    public static String json(Consumer<Answer> writing) {
        var text = new StringWriter(512);
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            writing.accept(new Answer(generator));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    public static Response.Complete ok(Consumer<Answer> writing) {
        return of(Status.OK, writing);
    }

    public static Response.Complete of(int status, Consumer<Answer> writing) {
        return Response.of(status, ContentType.JSON, json(writing));
    }

    private interface Writing {
        void write() throws IOException;
    }

    private static void io(Writing writing) {
        try {
            writing.write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes an object, as an element of a list or as the whole document. */
    public void object(Runnable fields) {
        io(out::writeStartObject);
        fields.run();
        io(out::writeEndObject);
    }

    /** Writes a field whose value is written by {@code value}. */
    public void field(String name, Runnable value) {
        io(() -> out.writeFieldName(name));
        value.run();
    }

    public void object(String name, Runnable fields) {
        io(() -> out.writeObjectFieldStart(name));
        fields.run();
        io(out::writeEndObject);
    }

    public <T> void list(String name, Collection<T> items, Consumer<T> item) {
        io(() -> out.writeArrayFieldStart(name));
        items.forEach(item);
        io(out::writeEndArray);
    }

    public void texts(String name, Collection<String> items) {
        list(name, items, item -> io(() -> out.writeString(item)));
    }

    public void text(String name, @Nullable String value) {
        if (value != null) {
            io(() -> out.writeStringField(name, value));
        }
    }

    public void time(String name, @Nullable Instant value) {
        text(name, value == null ? null : value.toString());
    }

    public void number(String name, @Nullable Number value) {
        if (value instanceof Double decimal) {
            io(() -> out.writeNumberField(name, decimal));
        } else if (value != null) {
            io(() -> out.writeNumberField(name, value.longValue()));
        }
    }

    public void flag(String name, boolean value) {
        io(() -> out.writeBooleanField(name, value));
    }

    public void map(String name, Map<String, String> values) {
        object(name, () -> values.forEach(this::text));
    }

    /** Writes a field with stored JSON, unchanged; writes nothing if it is null. */
    public void json(String name, @Nullable String json) {
        if (json != null) {
            io(() -> {
                out.writeFieldName(name);
                out.writeRawValue(json);
            });
        }
    }

    /** Writes the cursor of the next page; null on the last page. */
    public void nextCursor(@Nullable Object cursor) {
        if (cursor == null) {
            nothing("nextCursor");
        } else if (cursor instanceof Number number) {
            number("nextCursor", number);
        } else {
            text("nextCursor", cursor.toString());
        }
    }

    /** Writes a field with the value null. */
    public void nothing(String name) {
        io(() -> out.writeNullField(name));
    }
}
