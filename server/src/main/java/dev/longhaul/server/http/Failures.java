package dev.longhaul.server.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns failures into error responses, also for requests that reached no handler. */
public final class Failures implements ServerErrorHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private final Map<String, String> headers;

    /** @param headers added to responses to requests that reached no service */
    public Failures(Map<String, String> headers) {
        this.headers = headers;
    }

    public static HttpResponse answer(Object where, Throwable failure) {
        if (failure instanceof LonghaulException known) {
            if (known.code() == ErrorCode.INTERNAL) {
                return unexpected(where, failure);
            }
            return Problem.of(known);
        }
        return unexpected(where, failure);
    }

    /** Logs the failure under an error id; the client gets only the id. */
    private static HttpResponse unexpected(Object where, Throwable failure) {
        String errorId = UUID.randomUUID().toString();
        LOG.error("{} failed; error id {}", where, errorId, failure);
        return Problem.of(
                HttpStatus.INTERNAL_SERVER_ERROR,
                ErrorCode.INTERNAL,
                "unexpected error; the server's log has the details under error id " + errorId,
                List.of());
    }

    public static LonghaulException noSuchPath(String path) {
        return new LonghaulException(
                ErrorCode.NOT_FOUND, "path not found: " + Problem.brief(path) + "; /docs lists all paths");
    }

    /** The response to an unsupported method of a known path. */
    public static HttpResponse otherMethod(HttpMethod given, Collection<HttpMethod> known) {
        String allowed = String.join(", ", known.stream().map(HttpMethod::name).toList());
        return Problem.of(
                        HttpStatus.METHOD_NOT_ALLOWED,
                        ErrorCode.INVALID_ARGUMENT,
                        "this path does not support " + given + " (expected: " + allowed + ")",
                        List.of())
                .mapHeaders(headers -> headers.withMutations(more -> more.set(HttpHeaderNames.ALLOW, allowed)));
    }

    @Override
    public @Nullable HttpResponse onServiceException(ServiceRequestContext context, Throwable failure) {
        if (failure instanceof ContentTooLargeException) {
            return Problem.of(tooLarge());
        }
        return null;
    }

    private static LonghaulException tooLarge() {
        return new LonghaulException(
                ErrorCode.TOO_LARGE,
                "the body is too large (expected: at most " + Route.BODY + " bytes, or " + Route.BATCH_BODY
                        + " for a batch)");
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext context,
            ServiceConfig config,
            @Nullable RequestHeaders request,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        return rendered(request, status)
                .mapHeaders(known -> known.withMutations(more -> headers.forEach(more::set)))
                .aggregate()
                .join();
    }

    private static HttpResponse rendered(@Nullable RequestHeaders request, HttpStatus status) {
        if (status.equals(HttpStatus.SERVICE_UNAVAILABLE)) {
            return Problem.of(new LonghaulException(
                    ErrorCode.UNAVAILABLE,
                    "timeout: the server or its database did not respond in time (try again; the request may have been"
                            + " executed, and an idempotency key prevents executing it twice)"));
        }
        ErrorCode code = switch (status.code()) {
            case 404 -> ErrorCode.NOT_FOUND;
            case 413 -> ErrorCode.TOO_LARGE;
            case 415 -> ErrorCode.UNSUPPORTED_MEDIA_TYPE;
            default -> status.isServerError() ? ErrorCode.INTERNAL : ErrorCode.INVALID_ARGUMENT;
        };
        String detail = switch (status.code()) {
            case 405 -> "this path does not support " + (request == null ? "this method" : request.method());
            case 413 -> String.valueOf(tooLarge().getMessage());
            default -> status.reasonPhrase();
        };
        return Problem.of(status, code, detail, List.of());
    }
}
