package dev.longhaul.server.connect;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpObject;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.stream.StreamMessage;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Calls with streams: their messages pass through as they are, and their end becomes a message of its own. */
final class StreamCalls {
    private static final int LAST = 2;

    private final GrpcCall grpc;

    StreamCalls(GrpcCall grpc) {
        this.grpc = grpc;
    }

    HttpResponse post(ServiceRequestContext context, HttpRequest request, Codec codec) {
        ResponseHeaders begin = ResponseHeaders.builder(200)
                .set("content-type", "application/connect+" + codec.wireName())
                .build();
        try {
            HttpRequest translated = request.withHeaders(Headers.toGrpc(request.headers(), codec));
            return HttpResponse.of(grpc.call(context, translated).flatMap(object -> translated(object, begin)));
        } catch (Headers.BadTimeoutException e) {
            var error = ConnectError.of(Status.Code.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
            return HttpResponse.of(begin, end(error, HttpHeaders.of()));
        }
    }

    private static StreamMessage<HttpObject> translated(HttpObject object, ResponseHeaders begin) {
        if (object instanceof ResponseHeaders headers) {
            var connect = begin.toBuilder();
            Headers.copyMetadata(headers, connect, "");
            String encoding = headers.get(Headers.GRPC_ENCODING);
            if (encoding != null) {
                connect.set(Headers.STREAM_ENCODING, encoding);
            }
            return headers.contains(Headers.GRPC_STATUS)
                    ? StreamMessage.of(connect.build(), end(ConnectError.of(headers), HttpHeaders.of()))
                    : StreamMessage.of(connect.build());
        }
        if (object instanceof HttpHeaders trailers) {
            return StreamMessage.of(end(ConnectError.of(trailers), trailers));
        }
        return StreamMessage.of(object);
    }

    private static HttpData end(@Nullable ConnectError error, HttpHeaders trailers) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (error != null) {
            json.set("error", error.json());
        }
        ObjectNode metadata = JsonNodeFactory.instance.objectNode();
        trailers.forEach((name, value) -> {
            if (Headers.isMetadata(name)) {
                metadata.withArray(name.toString()).add(value);
            }
        });
        if (!metadata.isEmpty()) {
            json.set("metadata", metadata);
        }
        return HttpData.wrap(Frames.of(LAST, json.toString().getBytes(StandardCharsets.UTF_8)));
    }
}
