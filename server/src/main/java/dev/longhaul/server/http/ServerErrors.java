package dev.longhaul.server.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Failures;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Error responses to requests that did not reach a handler. */
public final class ServerErrors implements ServerErrorHandler {
    private final Map<String, String> headers;

    /** @param headers added to responses to requests that reached no service */
    public ServerErrors(Map<String, String> headers) {
        this.headers = headers;
    }

    @Override
    public @Nullable HttpResponse onServiceException(ServiceRequestContext context, Throwable failure) {
        if (failure instanceof ContentTooLargeException) {
            return ArmeriaResponse.of(Problem.of(Failures.tooLarge()));
        }
        return null;
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext context,
            ServiceConfig config,
            @Nullable RequestHeaders request,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        return ArmeriaResponse.of(rendered(request, status))
                .mapHeaders(known -> known.withMutations(more -> headers.forEach(more::set)))
                .aggregate()
                .join();
    }

    private static Response.Complete rendered(@Nullable RequestHeaders request, HttpStatus status) {
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
            case 413 -> String.valueOf(Failures.tooLarge().getMessage());
            default -> status.reasonPhrase();
        };
        return Problem.of(status.code(), code, detail, List.of());
    }
}
