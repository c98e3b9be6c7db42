package dev.longhaul.server.rpc.connect;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpHeadersBuilder;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import io.netty.util.AsciiString;
import java.util.Set;

/** Translates headers between Connect and gRPC. */
final class Headers {
    static final AsciiString STREAM_ENCODING = AsciiString.cached("connect-content-encoding");
    static final AsciiString STREAM_ACCEPTS = AsciiString.cached("connect-accept-encoding");
    static final AsciiString GRPC_STATUS = AsciiString.cached("grpc-status");
    static final AsciiString GRPC_ENCODING = AsciiString.cached("grpc-encoding");

    private static final AsciiString VERSION = AsciiString.cached("connect-protocol-version");
    private static final AsciiString TIMEOUT = AsciiString.cached("connect-timeout-ms");
    private static final int MOST_DIGITS = 10;
    /** Maximum number of digits of a gRPC timeout. */
    private static final int MOST_GRPC_DIGITS = 8;

    private static final Set<String> NOT_METADATA =
            Set.of("content-type", "content-length", "trailer", "armeria-content-preview");

    private Headers() {}

    /** Thrown for a header with an invalid value. */
    static final class BadHeaderException extends Exception {
        private static final long serialVersionUID = 1;

        BadHeaderException(String name, String given, String expected) {
            super(name + ": " + given + " (expected: " + expected + ")");
        }
    }

    /** Translates request headers to gRPC. */
    static RequestHeaders toGrpc(RequestHeaders headers, Codec codec) throws BadHeaderException {
        String path = headers.path();
        int query = path.indexOf('?');
        var grpc = headers.toBuilder()
                .method(HttpMethod.POST)
                .path(query < 0 ? path : path.substring(0, query))
                .set(HttpHeaderNames.CONTENT_TYPE, "application/grpc+" + codec.wireName())
                .set(HttpHeaderNames.TE, "trailers");
        grpc.remove(HttpHeaderNames.CONTENT_LENGTH);
        grpc.remove(HttpHeaderNames.CONTENT_ENCODING);
        grpc.remove(HttpHeaderNames.ACCEPT_ENCODING);
        String version = grpc.getAndRemove(VERSION);
        if (version != null && !version.equals("1")) {
            throw new BadHeaderException("Connect-Protocol-Version", version, "1");
        }
        String timeout = grpc.getAndRemove(TIMEOUT);
        if (timeout != null) {
            grpc.set("grpc-timeout", grpcTimeout(timeout));
        }
        String encoding = grpc.getAndRemove(STREAM_ENCODING);
        if (encoding != null) {
            grpc.set(GRPC_ENCODING, encoding);
        }
        String accepts = grpc.getAndRemove(STREAM_ACCEPTS);
        if (accepts != null) {
            grpc.set("grpc-accept-encoding", accepts);
        }
        return grpc.build();
    }

    private static String grpcTimeout(String millis) throws BadHeaderException {
        if (millis.isEmpty()
                || millis.length() > MOST_DIGITS
                || !millis.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
            throw new BadHeaderException(
                    "Connect-Timeout-Ms", millis, "a whole number of at most " + MOST_DIGITS + " digits");
        }
        // At least 1, because for Armeria 0 means no deadline.
        long whole = Math.max(1, Long.parseLong(millis));
        return millis.length() > MOST_GRPC_DIGITS ? whole / 1000 + "S" : whole + "m";
    }

    /** Copies the metadata of the service. Adds the prefix {@code before} to the names. */
    static void copyMetadata(HttpHeaders from, HttpHeadersBuilder to, String before) {
        from.forEach((name, value) -> {
            if (isMetadata(name)) {
                to.add(before + name, value);
            }
        });
    }

    static boolean isMetadata(AsciiString name) {
        String text = name.toString();
        return !text.startsWith(":") && !text.startsWith("grpc-") && !NOT_METADATA.contains(text);
    }
}
