package dev.longhaul.api.http;

import dev.longhaul.access.Role;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One operation of the REST API.
 *
 * @param path the path, with {@code {name}} for path parameters
 * @param role the required role; null if no key is required
 * @param largestBody maximum size of the body in bytes; 0 allows no body
 * @param takesLong whether a response may take longer than {@link #ANSWER}
 */
public record Route(
        Method method, String path, @Nullable Role role, int largestBody, boolean takesLong, Handler handler) {
    public static final int BODY = 1024 * 1024;
    public static final int BATCH_BODY = 16 * 1024 * 1024;

    /**
     * Timeout of a response. If the database does not respond in time, the client gets an error, although the request
     * may still be executed.
     */
    public static final Duration ANSWER = Duration.ofMillis(4500);

    /** Handles a request; may block. Exceptions become error responses. */
    public interface Handler {
        Response handle(Call call) throws Exception;
    }

    public static Route get(String path, @Nullable Role role, Handler handler) {
        return new Route(Method.GET, path, role, 0, false, handler);
    }

    public static Route post(String path, @Nullable Role role, Handler handler) {
        return new Route(Method.POST, path, role, BODY, false, handler);
    }

    public static Route put(String path, @Nullable Role role, Handler handler) {
        return new Route(Method.PUT, path, role, BODY, false, handler);
    }

    public static Route patch(String path, @Nullable Role role, Handler handler) {
        return new Route(Method.PATCH, path, role, BODY, false, handler);
    }

    public static Route delete(String path, @Nullable Role role, Handler handler) {
        return new Route(Method.DELETE, path, role, BODY, false, handler);
    }

    /** Handles a request on behalf of its caller, who is named in the audit trail; may block. */
    public Response handle(Call call) throws Exception {
        if (!Method.reads(method.name())) {
            // Rejects all parameters. Routes that only read have query parameters, and check them themselves.
            call.query().done();
        }
        return call.caller().actor().call(() -> handler.handle(call));
    }

    public Route withLargestBody(int bytes) {
        return new Route(method, path, role, bytes, takesLong, handler);
    }

    public Route longRunning() {
        return new Route(method, path, role, largestBody, true, handler);
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}
