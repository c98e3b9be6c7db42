package dev.longhaul.cli.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The query part of a URL; what is null is left out. */
final class Query {
    private final StringJoiner parts = new StringJoiner("&", "?", "").setEmptyValue("");

    Query with(String name, @Nullable Object value) {
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
