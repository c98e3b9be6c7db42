package dev.longhaul.api.http;

import static java.util.stream.Collectors.joining;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts failures to error responses. */
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    public static Response.Complete answer(Object where, Throwable failure) {
        if (failure instanceof LonghaulException known) {
            if (known.code() == ErrorCode.INTERNAL) {
                return unexpected(where, failure);
            }
            return Problem.of(known);
        }
        return unexpected(where, failure);
    }

    /** Logs the failure with an error id. The client gets only the id. */
    private static Response.Complete unexpected(Object where, Throwable failure) {
        String errorId = UUID.randomUUID().toString();
        LOG.error("{} failed; error id {}", where, errorId, failure);
        return Problem.of(
                Status.INTERNAL_SERVER_ERROR,
                ErrorCode.INTERNAL,
                "unexpected error; the server's log has the details under error id " + errorId,
                List.of());
    }

    public static LonghaulException noSuchPath(String path) {
        return new LonghaulException(
                ErrorCode.NOT_FOUND, "path not found: " + Problem.brief(path) + "; /docs lists all paths");
    }

    /** Returns the response to an unsupported method of a known path. */
    public static Response.Complete otherMethod(String given, Collection<Method> known) {
        String allowed = known.stream().map(Method::name).collect(joining(", "));
        return Problem.of(
                        Status.METHOD_NOT_ALLOWED,
                        ErrorCode.INVALID_ARGUMENT,
                        "this path does not support " + Problem.brief(given) + " (expected: " + allowed + ")",
                        List.of())
                .with("allow", allowed);
    }

    public static LonghaulException tooLarge() {
        return new LonghaulException(
                ErrorCode.TOO_LARGE,
                "the body is too large (expected: at most " + Route.BODY + " bytes, or " + Route.BATCH_BODY
                        + " for a batch)");
    }
}
