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

/** How an error leaves the server: problem+json with a stable code, and never a stack trace. */
public final class Problem {
    static final MediaType TYPE = MediaType.parse("application/problem+json; charset=utf-8");
    /** After so many seconds a client may try again. */
    static final String RETRY_AFTER = "2";

    private static final int LONGEST = 100;
    private static final long REST_MILLIS = 200;

    private Problem() {}

    public static HttpResponse of(LonghaulException failure) {
        return of(status(failure.code()), failure.code(), message(failure), failure.errors());
    }

    /** The message as clients see it: only that of an unavailable database may quote what the database said. */
    public static String message(LonghaulException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.code() == ErrorCode.UNAVAILABLE ? ErrorText.of(message) : message;
    }

    /**
     * The answer once the rest of the request is there, which is waited for only a moment: over HTTP/2 an answer before that cuts
     * the request off, and some clients then tell of the cut and not of the answer.
     */
    public static HttpResponse afterReading(HttpRequest request, HttpResponse answer) {
        return HttpResponse.of(request.subscribe()
                .copy()
                .completeOnTimeout(null, REST_MILLIS, TimeUnit.MILLISECONDS)
                .handle((read, failure) -> answer));
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
            case INVALID_ARGUMENT -> "The request is not as expected";
            case UNKNOWN_DEFINITION -> "No worker and no operator has made this definition known";
            case UNAUTHENTICATED -> "A valid API key is needed";
            case PERMISSION_DENIED -> "The key's role does not allow this";
            case NOT_FOUND -> "There is no such thing";
            case FAILED_PRECONDITION -> "The state does not allow this";
            case TOO_LARGE -> "The request is too large";
            case UNSUPPORTED_MEDIA_TYPE -> "The body is of a kind that is not read here";
            case RESOURCE_EXHAUSTED -> "Too much at once";
            case INTERNAL -> "Something went wrong here";
            case UNAVAILABLE -> "Not available right now; try again";
        };
    }

    /** Something a client has sent, short enough to be told back. */
    public static String brief(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
