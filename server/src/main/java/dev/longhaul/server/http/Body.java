package dev.longhaul.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.MediaType;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.List;

/** The body of a request as text. */
final class Body {
    private Body() {}

    /** The body, which must be declared as JSON and be valid UTF-8. */
    static String json(AggregatedHttpRequest request) {
        requireJson(request);
        try {
            return UTF_8.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(request.content().array()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("body", "bytes that are not UTF-8", "UTF-8")));
        }
    }

    private static void requireJson(AggregatedHttpRequest request) {
        MediaType type = request.contentType();
        String encoding = request.headers().get(HttpHeaderNames.CONTENT_ENCODING, "identity");
        boolean json = type != null
                && type.type().equals("application")
                && type.subtype().equals("json")
                && type.charset(UTF_8).equals(UTF_8);
        if (!json || !encoding.equals("identity")) {
            String given = request.headers().get(HttpHeaderNames.CONTENT_TYPE, "none");
            throw new LonghaulException(
                    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Type: " + Problem.brief(given) + (encoding.equals("identity") ? "" : ", " + encoding)
                            + " (expected: application/json, UTF-8, not compressed)");
        }
    }
}
