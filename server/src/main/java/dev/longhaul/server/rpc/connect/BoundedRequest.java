package dev.longhaul.server.rpc.connect;

import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpRequest;
import java.util.concurrent.atomic.AtomicLong;

/** Limits a request's body: it fails with {@link ContentTooLargeException} as soon as it is longer than allowed. */
public final class BoundedRequest {
    private BoundedRequest() {}

    /**
     * Replaces Armeria's own limit, which responds with HTTP status 413: the RPC protocols do not know that status.
     *
     * @param most maximum bytes of the body
     */
    public static HttpRequest of(HttpRequest request, long most) {
        var received = new AtomicLong();
        return request.mapData(data -> {
            long length = received.addAndGet(data.length());
            if (length > most) {
                data.close();
                throw ContentTooLargeException.builder()
                        .maxContentLength(most)
                        .transferred(length)
                        .build();
            }
            return data;
        });
    }
}
