package dev.longhaul.api.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The response of a route. The web framework that received the request sends it. */
public sealed interface Response {
    /** @param name the name in lower case */
    record Header(String name, String value) {}

    static Complete of(int status, String contentType, byte[] body) {
        return new Complete(status, List.of(new Header("content-type", contentType)), body);
    }

    static Complete of(int status, String contentType, String body) {
        return of(status, contentType, body.getBytes(UTF_8));
    }

    /** Returns a response without a body. */
    static Complete of(int status) {
        return new Complete(status, List.of(), new byte[0]);
    }

    /** A response that can be sent immediately. */
    final class Complete implements Response {
        private final int status;
        private final List<Header> headers;
        private final byte[] body;

        private Complete(int status, List<Header> headers, byte[] body) {
            this.status = status;
            this.headers = headers;
            this.body = body;
        }

        public int status() {
            return status;
        }

        public List<Header> headers() {
            return headers;
        }

        /** Returns the bytes of the body, not a copy. */
        public byte[] body() {
            return body;
        }

        /** Returns this response with one more header. */
        public Complete with(String name, String value) {
            var more = Stream.concat(headers.stream(), Stream.of(new Header(name, value)));
            return new Complete(status, more.toList(), body);
        }

        /** Returns this response with one more header; returns it unchanged if the value is null. */
        public Complete withOptional(String name, @Nullable String value) {
            return value == null ? this : with(name, value);
        }
    }

    /**
     * A response that is created later. No thread waits for it.
     *
     * @param ready completes when the response can be created; cancelled if the client disconnects earlier
     * @param response creates the response; may block
     */
    record Later(CompletableFuture<?> ready, Supplier<Complete> response) implements Response {}

    /**
     * A stream of server-sent events.
     *
     * @param opening starts writing to the client; called once before the status is sent, so that a failure becomes an
     * error response
     */
    record Events(Consumer<ClientConnection> opening) implements Response {
        public static final List<Header> HEADERS = List.of(
                new Header("content-type", ContentType.EVENTS),
                new Header("cache-control", "no-store"),
                // Disables response buffering in nginx, which would delay events.
                new Header("x-accel-buffering", "no"));
    }
}
