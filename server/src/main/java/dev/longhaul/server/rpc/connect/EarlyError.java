package dev.longhaul.server.rpc.connect;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpHeadersBuilder;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/** The response to a call that failed before any of its messages was read, in the protocol of the request. */
public final class EarlyError {
    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private EarlyError() {}

    /** @param metadata the details of the status; empty if there are none */
    public static HttpResponse of(RequestHeaders request, Status status, Metadata metadata) {
        String type = request.get(HttpHeaderNames.CONTENT_TYPE, "");
        HttpHeaders end = end(status, metadata);
        if (type.startsWith(ConnectService.GRPC)) {
            // Sent as trailers only, because gRPC clients treat headers followed by an empty frame as an error.
            return HttpResponse.of(ResponseHeaders.builder(200)
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .add(end)
                    .endOfStream(true)
                    .build());
        }
        var error = new ConnectError(status.getCode(), status.getDescription(), end.get(DETAILS.name()));
        if (type.startsWith(ConnectService.STREAM)) {
            ResponseHeaders begin = ResponseHeaders.builder(200)
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .build();
            return HttpResponse.of(begin, StreamCalls.end(error, HttpHeaders.of()));
        }
        HttpHeadersBuilder more = HttpHeaders.builder();
        if (status.getCode() == Status.Code.UNAUTHENTICATED) {
            more.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        return UnaryCalls.error(error, more.build(), HttpHeaders.of());
    }

    private static HttpHeaders end(Status status, Metadata metadata) {
        var end = HttpHeaders.builder()
                .setInt(Headers.GRPC_STATUS, status.getCode().value());
        if (status.getDescription() != null) {
            end.set("grpc-message", escaped(status.getDescription()));
        }
        byte[] details = metadata.get(DETAILS);
        if (details != null) {
            end.set(DETAILS.name(), Base64.getEncoder().withoutPadding().encodeToString(details));
        }
        return end.build();
    }

    /** Percent-encodes a message as gRPC requires: printable ASCII except the percent sign stays unchanged. */
    private static String escaped(String text) {
        var escaped = new StringBuilder();
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            if (one >= ' ' && one <= '~' && one != '%') {
                escaped.append((char) one);
            } else {
                escaped.append(String.format(Locale.ROOT, "%%%02X", one));
            }
        }
        return escaped.toString();
    }
}
