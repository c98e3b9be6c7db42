package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The query part of a URL; what is null is left out. */
public final class Query {
    private final StringJoiner parts = new StringJoiner("&", "?", "").setEmptyValue("");

    /** Fields as parameters; the fields of an object in them have its name and a dot before their own. */
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
