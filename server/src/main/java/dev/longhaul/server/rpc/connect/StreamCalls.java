package dev.longhaul.server.rpc.connect;

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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Translates streaming calls. Messages pass unchanged, or compressed if the client accepts that; the trailers become a
 * final message.
 */
final class StreamCalls {
    private static final int LAST = 2;

    private final GrpcCall grpc;

    StreamCalls(GrpcCall grpc) {
        this.grpc = grpc;
    }

    HttpResponse post(ServiceRequestContext context, HttpRequest request, Codec codec) {
        boolean zips = request.headers().get(Headers.STREAM_ACCEPTS, "").contains(Frames.GZIP);
        var headers = ResponseHeaders.builder(200).set("content-type", "application/connect+" + codec.wireName());
        if (zips) {
            // Names the algorithm. A flag in each message says whether that message is compressed.
            headers.set(Headers.STREAM_ENCODING, Frames.GZIP);
        }
        ResponseHeaders begin = headers.build();
        try {
            HttpRequest translated = request.withHeaders(Headers.toGrpc(request.headers(), codec));
            return translated(grpc.call(context, translated), begin, zips);
        } catch (Headers.BadHeaderException e) {
            var error = ConnectError.of(Status.Code.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
            return HttpResponse.of(begin, end(error, HttpHeaders.of()));
        }
    }

    /**
     * Translates the response object by object, so that nothing is read before the client requests it. Adds a final
     * message if the call has no trailers.
     */
    private static HttpResponse translated(HttpResponse response, ResponseHeaders begin, boolean zips) {
        var failedAtOnce = new AtomicReference<@Nullable HttpData>();
        StreamMessage<HttpObject> translated = response.map(object -> {
            if (object instanceof ResponseHeaders headers) {
                if (headers.contains(Headers.GRPC_STATUS)) {
                    failedAtOnce.set(end(ConnectError.of(headers), HttpHeaders.of()));
                }
                return translated(headers, begin);
            }
            if (object instanceof HttpHeaders trailers) {
                return end(ConnectError.of(trailers), trailers);
            }
            return zips && object instanceof HttpData data ? zipped(data) : object;
        });
        StreamMessage<HttpObject> rest =
                StreamMessage.of(response.whenComplete().thenApply(done -> {
                    HttpData end = failedAtOnce.get();
                    return end == null ? StreamMessage.<HttpObject>of() : StreamMessage.<HttpObject>of(end);
                }));
        return HttpResponse.of(StreamMessage.concat(translated, rest));
    }

    private static ResponseHeaders translated(ResponseHeaders headers, ResponseHeaders begin) {
        var connect = begin.toBuilder();
        Headers.copyMetadata(headers, connect, "");
        String encoding = headers.get(Headers.GRPC_ENCODING);
        if (encoding != null && !encoding.equals("identity")) {
            connect.set(Headers.STREAM_ENCODING, encoding);
        }
        return connect.build();
    }

    /** Compresses the data if it is exactly one message that is long enough and not compressed yet. */
    private static HttpData zipped(HttpData data) {
        if (!Frames.worthZipping(data.length())) {
            return data;
        }
        byte[] framed = data.array();
        var head = ByteBuffer.wrap(framed);
        if (head.get() != 0 || head.getInt() != framed.length - Frames.HEAD) {
            return data;
        }
        data.close();
        return HttpData.wrap(Frames.of(Frames.ZIPPED, Frames.zipped(framed, Frames.HEAD)));
    }

    static HttpData end(@Nullable ConnectError error, HttpHeaders trailers) {
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
