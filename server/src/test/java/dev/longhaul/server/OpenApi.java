package dev.longhaul.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The API's description; checks real responses against it. */
final class OpenApi {
    static final JsonNode DOCUMENT = read();
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Map<String, Schema> COMPILED = new ConcurrentHashMap<>();

    private OpenApi() {}

    private static JsonNode read() {
        try (InputStream in = OpenApi.class.getResourceAsStream("/dev/longhaul/api/openapi.json")) {
            return Api.JSON.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every operation, as {@code GET /v1/jobs}, and its role. */
    static Map<String, String> operations() {
        var operations = new TreeMap<String, String>();
        DOCUMENT.get("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation -> operations.put(
                                operation.getKey().toUpperCase(java.util.Locale.ROOT) + " " + path.getKey(),
                                operation.getValue().get("x-role").asText())));
        return operations;
    }

    /** Fails unless the document describes the response of a documented path and its body matches. */
    static void check(String method, String path, int status, String body) {
        JsonNode operation = operation(method, path.replaceFirst("\\?.*$", ""));
        if (operation == null) {
            return;
        }
        JsonNode response = operation.get("responses").get(String.valueOf(status));
        if (response != null && response.has("$ref")) {
            response = DOCUMENT.at(response.get("$ref").asText().substring(1));
        }
        if (response == null) {
            throw new AssertionError(method + " " + path + " answered " + status + ", which openapi.json does not say");
        }
        JsonNode content = response.get("content");
        if (content == null || !body.startsWith("{")) {
            return;
        }
        JsonNode schema = content.properties().iterator().next().getValue().get("schema");
        var problems = compiled(schema).validate(body, InputFormat.JSON);
        if (!problems.isEmpty()) {
            throw new AssertionError(method + " " + path + " " + status + ": " + problems + "\n" + body);
        }
    }

    static Schema compiled(JsonNode schema) {
        return COMPILED.computeIfAbsent(schema.toString(), text -> {
            ObjectNode whole = schema.deepCopy();
            whole.set("components", DOCUMENT.get("components"));
            return SCHEMAS.getSchema(whole);
        });
    }

    private static @Nullable JsonNode operation(String method, String path) {
        JsonNode exact = DOCUMENT.get("paths").get(path);
        if (exact != null) {
            return exact.get(method.toLowerCase(java.util.Locale.ROOT));
        }
        for (var entry : DOCUMENT.get("paths").properties()) {
            String pattern = entry.getKey().replaceAll("\\{[a-z]+}", "[^/]+");
            if (Pattern.matches(pattern, path)) {
                return entry.getValue().get(method.toLowerCase(java.util.Locale.ROOT));
            }
        }
        return null;
    }

    static JsonNode required(@Nullable JsonNode node) {
        return Objects.requireNonNull(node);
    }
}
