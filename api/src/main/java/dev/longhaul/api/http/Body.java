package dev.longhaul.api.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the body of a request as text. */
final class Body {
    private Body() {}

    /** Returns the body. Rejects a body that is not declared as JSON, or is not valid UTF-8. */
    static String json(Call call) {
        requireJson(
                call.header("content-type"), Objects.requireNonNullElse(call.header("content-encoding"), "identity"));
        try {
            return UTF_8.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(call.request().body()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("body", "bytes that are not UTF-8", "UTF-8")));
        }
    }

    private static void requireJson(@Nullable String type, String encoding) {
        boolean json = type != null && isJson(type.toLowerCase(Locale.ROOT));
        if (!json || !encoding.equals("identity")) {
            throw new LonghaulException(
                    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Type: " + Problem.brief(type == null ? "none" : type)
                            + (encoding.equals("identity") ? "" : ", " + encoding)
                            + " (expected: application/json, UTF-8, not compressed)");
        }
    }

    /** Returns whether a content type is JSON in UTF-8. Ignores other parameters than the character set. */
    private static boolean isJson(String type) {
        String[] parts = type.split(";", -1);
        return parts[0].strip().equals("application/json")
                && Arrays.stream(parts)
                        .skip(1)
                        .map(part -> part.replace("\"", "").replace(" ", ""))
                        .filter(part -> part.startsWith("charset="))
                        .allMatch(part -> part.equals("charset=utf-8") || part.equals("charset=utf8"));
    }
}
