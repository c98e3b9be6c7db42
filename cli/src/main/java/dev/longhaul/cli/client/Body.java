package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Puts options into a request: those that were not given stay out of it. */
final class Body {
    private Body() {}

    static void text(ObjectNode body, String field, @Nullable String value) {
        if (value != null) {
            body.put(field, value);
        }
    }

    static void number(ObjectNode body, String field, @Nullable Number value) {
        if (value != null) {
            body.put(field, value.longValue());
        }
    }

    /** Whole seconds, rounded up: never sooner than asked for. */
    static @Nullable Long seconds(@Nullable Duration span) {
        return span == null ? null : span.plusMillis(999).toSeconds();
    }

    /** The definition that {@code key} or {@code key@2} means. */
    static void definition(ObjectNode body, @Nullable String definition) {
        if (definition == null) {
            return;
        }
        int at = definition.lastIndexOf('@');
        body.put("definitionKey", at < 0 ? definition : definition.substring(0, at));
        if (at >= 0) {
            body.put("definitionVersion", version(definition.substring(at + 1)));
        }
    }

    private static int version(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw ServerOptions.bad("definition", "@" + text, "key@version, such as demo.echo@1");
        }
    }
}
