package dev.longhaul.server.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Error responses: problem+json with a stable code, never a stack trace. */
public final class Problem {
    static final MediaType TYPE = MediaType.parse("application/problem+json; charset=utf-8");
    /** Seconds after which a client may retry. */
    static final String RETRY_AFTER = "2";

    private static final int LONGEST = 100;
    private static final long REST_MILLIS = 200;

    private Problem() {}

    public static HttpResponse of(LonghaulException failure) {
        return of(status(failure.code()), failure.code(), message(failure), failure.errors());
    }

    /** The message for clients. Only errors of an unavailable database may quote the database, so only they are cleaned. */
    public static String message(LonghaulException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.code() == ErrorCode.UNAVAILABLE ? ErrorText.of(message) : message;
    }

    /**
     * Responds once the rest of the request was read, waiting only briefly: over HTTP/2 an earlier response resets the stream,
     * and some clients then report the reset instead of the response.
     */
    public static HttpResponse afterReading(HttpRequest request, HttpResponse response) {
        return HttpResponse.of(request.subscribe()
                .copy()
                .completeOnTimeout(null, REST_MILLIS, TimeUnit.MILLISECONDS)
                .handle((read, failure) -> response));
    }

    static HttpResponse of(HttpStatus status, ErrorCode code, String detail, List<FieldError> errors) {
        String json = Answer.json(out -> {
            String name = code.name().toLowerCase(Locale.ROOT);
            out.object(() -> {
                out.text("type", "urn:longhaul:error:" + name);
                out.text("title", title(code));
                out.number("status", status.code());
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
        var headers = ResponseHeaders.builder(status).contentType(TYPE);
        if (code == ErrorCode.UNAVAILABLE || code == ErrorCode.RESOURCE_EXHAUSTED) {
            headers.set(HttpHeaderNames.RETRY_AFTER, RETRY_AFTER);
        }
        if (code == ErrorCode.UNAUTHENTICATED) {
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        return HttpResponse.of(headers.build(), HttpData.ofUtf8(json));
    }

    static HttpStatus status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, UNKNOWN_DEFINITION -> HttpStatus.BAD_REQUEST;
            case UNAUTHENTICATED -> HttpStatus.UNAUTHORIZED;
            case PERMISSION_DENIED -> HttpStatus.FORBIDDEN;
            case NOT_FOUND -> HttpStatus.NOT_FOUND;
            case FAILED_PRECONDITION -> HttpStatus.CONFLICT;
            case TOO_LARGE -> HttpStatus.REQUEST_ENTITY_TOO_LARGE;
            case UNSUPPORTED_MEDIA_TYPE -> HttpStatus.UNSUPPORTED_MEDIA_TYPE;
            case RESOURCE_EXHAUSTED -> HttpStatus.TOO_MANY_REQUESTS;
            case INTERNAL -> HttpStatus.INTERNAL_SERVER_ERROR;
            case UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
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

    /** Client input, cut to a length that fits into an error message. */
    public static String brief(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
