package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The query part of a URL. Null values are omitted. */
public final class Query {
    private final StringJoiner parts = new StringJoiner("&", "?", "").setEmptyValue("");

    /** Converts fields to parameters. A field of a nested object is named {@code object.field}. */
    public static Query of(ObjectNode fields) {
        var query = new Query();
        fields.properties().forEach(field -> {
            if (field.getValue().isObject()) {
                field.getValue()
                        .properties()
                        .forEach(part -> query.with(
                                field.getKey() + "." + part.getKey(),
                                part.getValue().asText()));
            } else if (!field.getValue().isNull()) {
                query.with(field.getKey(), field.getValue().asText());
            }
        });
        return query;
    }

    public Query with(String name, @Nullable Object value) {
        if (value != null) {
            parts.add(encoded(name) + "=" + encoded(value.toString()));
        }
        return this;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return parts.toString();
    }
}
