package dev.longhaul.server.rpc.connect;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Translates unary calls, whose messages have no frame in Connect. */
final class UnaryCalls {
    private final GrpcCall grpc;
    private final int largest;

    UnaryCalls(GrpcCall grpc, int largest) {
        this.grpc = grpc;
        this.largest = largest;
    }

    HttpResponse post(ServiceRequestContext context, HttpRequest request, Codec codec) {
        String encoding = request.headers().get(HttpHeaderNames.CONTENT_ENCODING);
        return HttpResponse.of(BoundedRequest.of(request, largest).aggregate().handle((whole, failure) -> {
            if (failure == null) {
                return call(context, request, codec, whole.content().array(), encoding);
            }
            boolean tooLarge = Exceptions.peel(failure) instanceof ContentTooLargeException;
            return tooLarge ? tooLarge() : HttpResponse.ofFailure(failure);
        }));
    }

    HttpResponse get(ServiceRequestContext context, HttpRequest request) {
        QueryParams query = context.queryParams();
        Codec codec = Codec.of(query.get("encoding", ""), "");
        String message = query.get("message");
        if (codec == null || message == null || !query.get("connect", "v1").equals("v1")) {
            return refused("connect, encoding and message: missing or unknown (expected: no connect or connect=v1,"
                    + " encoding=json or proto, and a message)");
        }
        byte[] bytes;
        try {
            bytes = "1".equals(query.get("base64"))
                    ? Base64.getUrlDecoder().decode(message)
                    : message.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return refused("message: not base64 (expected: URL-safe base64, because of base64=1)");
        }
        return call(context, request, codec, bytes, query.get("compression"));
    }

    private HttpResponse call(
            ServiceRequestContext context, HttpRequest request, Codec codec, byte[] body, @Nullable String encoding) {
        byte[] message = body;
        try {
            if (Frames.GZIP.equals(encoding)) {
                message = Frames.unzipped(body, largest);
            } else if (encoding != null && !encoding.isEmpty() && !encoding.equals("identity")) {
                return error(
                        ConnectError.of(
                                Status.Code.UNIMPLEMENTED,
                                "compression: " + encoding + " (expected: gzip or identity)"),
                        HttpHeaders.of(),
                        HttpHeaders.of());
            }
            if (message.length > largest) {
                return tooLarge();
            }
            HttpRequest translated =
                    HttpRequest.of(Headers.toGrpc(request.headers(), codec), HttpData.wrap(Frames.of(0, message)));
            boolean zips =
                    request.headers().get(HttpHeaderNames.ACCEPT_ENCODING, "").contains(Frames.GZIP);
            return HttpResponse.of(
                    grpc.call(context, translated).aggregate().thenApply(whole -> translated(whole, codec, zips)));
        } catch (IOException e) {
            return refused("body: not gzip (expected: gzip, as in Content-Encoding)");
        } catch (Headers.BadHeaderException e) {
            return refused(String.valueOf(e.getMessage()));
        }
    }

    private static HttpResponse translated(AggregatedHttpResponse response, Codec codec, boolean zips) {
        boolean withoutTrailers = response.headers().contains(Headers.GRPC_STATUS);
        HttpHeaders end = withoutTrailers ? response.headers() : response.trailers();
        HttpHeaders metadata = response.headers();
        HttpHeaders trailers = withoutTrailers ? HttpHeaders.of() : end;
        ConnectError error = ConnectError.of(end);
        if (error != null) {
            return error(error, metadata, trailers);
        }
        byte[] framed = response.content().array();
        var headers = ResponseHeaders.builder(200).contentType(MediaType.create("application", codec.wireName()));
        Headers.copyMetadata(metadata, headers, "");
        Headers.copyMetadata(trailers, headers, "trailer-");
        if (zips && Frames.worthZipping(framed.length)) {
            headers.set(HttpHeaderNames.CONTENT_ENCODING, Frames.GZIP);
            return HttpResponse.of(headers.build(), HttpData.wrap(Frames.zipped(framed, Frames.HEAD)));
        }
        return HttpResponse.of(headers.build(), HttpData.wrap(framed, Frames.HEAD, framed.length - Frames.HEAD));
    }

    private HttpResponse tooLarge() {
        return error(
                ConnectError.of(
                        Status.Code.RESOURCE_EXHAUSTED,
                        "the message is too large (expected: at most " + largest + " bytes)"),
                HttpHeaders.of(),
                HttpHeaders.of());
    }

    private static HttpResponse refused(String message) {
        return error(ConnectError.of(Status.Code.INVALID_ARGUMENT, message), HttpHeaders.of(), HttpHeaders.of());
    }

    static HttpResponse error(ConnectError error, HttpHeaders metadata, HttpHeaders trailers) {
        var headers = ResponseHeaders.builder(error.httpStatus()).contentType(MediaType.JSON);
        Headers.copyMetadata(metadata, headers, "");
        Headers.copyMetadata(trailers, headers, "trailer-");
        return HttpResponse.of(headers.build(), HttpData.ofUtf8(error.json().toString()));
    }
}
