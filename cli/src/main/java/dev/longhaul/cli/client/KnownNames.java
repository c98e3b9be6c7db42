package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Reads names that exist on a server, for suggestions and completions. */
public final class KnownNames {
    private KnownNames() {}

    /** Returns the queues that have jobs or settings, that workers serve, or that definitions use. */
    public static Set<String> queues(Api api) {
        var names = new TreeSet<String>();
        each(api, "/v1/queues", "queues", queue -> names.add(queue.path("name").asText()));
        each(
                api,
                "/v1/definitions",
                "definitions",
                one -> names.add(one.path("queue").asText()));
        try {
            each(
                    api,
                    "/v1/workers",
                    "workers",
                    worker -> worker.path("queues").forEach(queue -> names.add(queue.asText())));
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.PERMISSION_DENIED) {
                throw e;
            }
        }
        return names;
    }

    public static Set<String> definitions(Api api) {
        var names = new TreeSet<String>();
        each(api, "/v1/definitions", "definitions", one -> {
            names.add(one.path("definitionKey").asText());
        });
        return names;
    }

    public static Set<String> schedules(Api api) {
        var names = new TreeSet<String>();
        each(
                api,
                "/v1/schedules?limit=500",
                "schedules",
                one -> names.add(one.path("key").asText()));
        return names;
    }

    private static void each(Api api, String path, String field, Consumer<JsonNode> sink) {
        api.get(path).json().path(field).forEach(sink);
    }
}
