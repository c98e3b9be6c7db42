package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Converts an error response to an exception, and an exception to a problem document. */
public final class Problem {
    private Problem() {}

    static LonghaulException of(URI server, int status, String body) {
        JsonNode problem = json(body);
        ErrorCode code = code(problem.path("code").asText());
        if (code == null) {
            return new LonghaulException(
                    fromStatus(status), server + " responded with " + status + ", not like Longhaul; check --url");
        }
        return new LonghaulException(code, text(problem), new Response(problem));
    }

    /** Keeps the server's problem document, so that it can be printed as JSON. */
    private static final class Response extends Exception {
        private static final long serialVersionUID = 1;

        private final transient JsonNode problem;

        Response(JsonNode problem) {
            super(null, null, false, false);
            this.problem = problem;
        }
    }

    /** Returns the server's problem document, or one in the same form for an error that this program has detected. */
    public static JsonNode json(LonghaulException failure) {
        return failure.getCause() instanceof Response response ? response.problem : own(failure);
    }

    /** Returns a problem document for an error that this program has detected. */
    public static ObjectNode own(LonghaulException failure) {
        ObjectNode problem = Json.object();
        problem.put("code", failure.code().name().toLowerCase(Locale.ROOT));
        problem.put("detail", failure.getMessage());
        ArrayNode errors = failure.errors().isEmpty() ? null : problem.putArray("errors");
        failure.errors()
                .forEach(error -> Objects.requireNonNull(errors)
                        .addObject()
                        .put("field", error.field())
                        .put("value", error.value())
                        .put("expected", error.expected()));
        return problem;
    }

    /** Returns the detail of a problem document, with several problems of a request on one line each. */
    private static String text(JsonNode problem) {
        List<String> errors = new ArrayList<>();
        problem.path("errors")
                .forEach(error -> errors.add(error.path("field").asText() + ": "
                        + error.path("value").asText() + " (expected: "
                        + error.path("expected").asText() + ")"));
        String detail = problem.path("detail").asText();
        boolean same = detail.equals(String.join("; ", errors));
        if (errors.isEmpty() || (same && errors.size() == 1)) {
            return Screen.withoutControls(detail);
        }
        var text = new StringBuilder(same ? errors.size() + " problems" : Screen.withoutControls(detail));
        errors.forEach(error -> text.append("\n  ").append(Screen.withoutControls(error)));
        return text.toString();
    }

    private static JsonNode json(String body) {
        try {
            return Json.parse(body);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private static @Nullable ErrorCode code(String name) {
        for (ErrorCode code : ErrorCode.values()) {
            if (code.name().toLowerCase(Locale.ROOT).equals(name)) {
                return code;
            }
        }
        return null;
    }

    /** Returns the error code for a response that is not from a Longhaul server, for example from a proxy. */
    private static ErrorCode fromStatus(int status) {
        return switch (status) {
            case 401 -> ErrorCode.UNAUTHENTICATED;
            case 403 -> ErrorCode.PERMISSION_DENIED;
            case 404 -> ErrorCode.NOT_FOUND;
            case 413 -> ErrorCode.TOO_LARGE;
            case 429 -> ErrorCode.RESOURCE_EXHAUSTED;
            case 502, 503, 504 -> ErrorCode.UNAVAILABLE;
            default -> ErrorCode.INTERNAL;
        };
    }
}
