package dev.longhaul.api.http;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.util.List;
import java.util.Locale;

/** Error responses: problem+json with a stable code, never a stack trace. */
public final class Problem {
    /** How many seconds a client should wait before it retries. */
    static final String RETRY_AFTER = "2";

    private static final int LONGEST = 100;

    private Problem() {}

    public static Response.Complete of(LonghaulException failure) {
        return of(status(failure.code()), failure.code(), message(failure), failure.errors());
    }

    /**
     * Returns the message for clients. Only errors of an unavailable database may quote the database, so only those are
     * cleaned.
     */
    public static String message(LonghaulException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.code() == ErrorCode.UNAVAILABLE ? ErrorText.of(message) : message;
    }

    public static Response.Complete of(int status, ErrorCode code, String detail, List<FieldError> errors) {
        String json = Answer.json(out -> {
            String name = code.name().toLowerCase(Locale.ROOT);
            out.object(() -> {
                out.text("type", "urn:longhaul:error:" + name);
                out.text("title", title(code));
                out.number("status", status);
                out.text("code", name);
                out.text("detail", detail);
                out.list(
                        "errors",
                        errors,
                        error -> out.object(() -> {
                            out.text("field", error.field());
                            out.text("value", error.value());
                            out.text("expected", error.expected());
                        }));
            });
        });
        boolean retry = code == ErrorCode.UNAVAILABLE || code == ErrorCode.RESOURCE_EXHAUSTED;
        return Response.of(status, ContentType.PROBLEM, json)
                .withOptional("retry-after", retry ? RETRY_AFTER : null)
                .withOptional("www-authenticate", code == ErrorCode.UNAUTHENTICATED ? "Bearer" : null);
    }

    static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, UNKNOWN_DEFINITION -> Status.BAD_REQUEST;
            case UNAUTHENTICATED -> Status.UNAUTHORIZED;
            case PERMISSION_DENIED -> Status.FORBIDDEN;
            case NOT_FOUND -> Status.NOT_FOUND;
            case FAILED_PRECONDITION -> Status.CONFLICT;
            case TOO_LARGE -> Status.REQUEST_ENTITY_TOO_LARGE;
            case UNSUPPORTED_MEDIA_TYPE -> Status.UNSUPPORTED_MEDIA_TYPE;
            case RESOURCE_EXHAUSTED -> Status.TOO_MANY_REQUESTS;
            case INTERNAL -> Status.INTERNAL_SERVER_ERROR;
            case UNAVAILABLE -> Status.SERVICE_UNAVAILABLE;
        };
    }

    private static String title(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> "Invalid request";
            case UNKNOWN_DEFINITION -> "Unknown definition: no worker or operator has registered it";
            case UNAUTHENTICATED -> "A valid API key is required";
            case PERMISSION_DENIED -> "Permission denied";
            case NOT_FOUND -> "Not found";
            case FAILED_PRECONDITION -> "Not possible in the current state";
            case TOO_LARGE -> "Request too large";
            case UNSUPPORTED_MEDIA_TYPE -> "Unsupported content type or encoding";
            case RESOURCE_EXHAUSTED -> "Limit exceeded";
            case INTERNAL -> "Unexpected error";
            case UNAVAILABLE -> "Unavailable; try again";
        };
    }

    /** Returns client input, shortened to a length that fits into an error message. */
    public static String brief(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
